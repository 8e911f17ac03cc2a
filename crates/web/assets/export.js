// The export menu: the run as a drawing, a diagram, a trace, text, a test or a page of its own. The server writes all
// of them but PNG, for which the browser paints the SVG.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session, api } = WK;
  const FORMS = [
    ['svg', 'SVG drawing'], ['png', 'PNG picture'], ['mermaid', 'Mermaid diagram'], ['itf', 'ITF trace (JSON)'],
    ['text', 'Text chart'], ['test', 'Cargo test'], ['page', 'One-file page'],
  ];

  async function text(form) {
    const { run, loop, only, picks } = session;
    return api.post('/api/export', { ...session.request(), loop, only, picks, form, from: 0, to: run.steps.length });
  }

  /** Paints an SVG on a canvas of twice its size, on a light sheet. */
  function paint(svg) {
    // A picture has one theme: the rules for dark pages would follow the reader's system.
    const light = svg.replace('(prefers-color-scheme:dark)', 'not all');
    const url = URL.createObjectURL(new Blob([light], { type: 'image/svg+xml' }));
    return new Promise((done, fail) => {
      const image = new Image();
      image.onload = () => {
        const most = 16000;
        const scale = Math.min(2, most / image.width, most / image.height);
        const canvas = h('canvas', { width: Math.ceil(image.width * scale), height: Math.ceil(image.height * scale) });
        const context = canvas.getContext('2d');
        context.fillStyle = '#ffffff';
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(url);
        canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('The browser cannot make a PNG of this size. Export a part of the run, or SVG.'))), 'image/png');
      };
      image.onerror = () => fail(new Error('The browser cannot draw this SVG.'));
      image.src = url;
    });
  }

  async function save(form) {
    const found = await text(form === 'png' ? 'svg' : form);
    if (form === 'png') WK.save(found.name.replace(/\.svg$/, '') + '.png', 'image/png', await paint(found.text));
    else WK.save(found.name, found.mime, found.text);
    WK.say('Saved ' + found.name + '.');
  }

  async function copy(form) {
    const found = await text(form);
    await navigator.clipboard.writeText(found.text);
    WK.say('Copied.');
  }

  const menu = document.getElementById('export');
  const has = (form) => !api.exported || (api.exported.exports && api.exported.exports[form === 'png' ? 'svg' : form]);
  const item = (label, id, work) => h('button', { type: 'button', data: { testid: id }, on: { click: WK.tried(async () => ((menu.open = false), menu.querySelector('summary').focus(), work())) } }, label);
  fill(document.getElementById('export-items'), FORMS.filter(([form]) => has(form)).map(([form, label]) => item(label, 'export-' + form, () => save(form))),
    has('mermaid') && item('Copy as Mermaid', 'copy-mermaid', () => copy('mermaid')), has('text') && item('Copy as text', 'copy-text', () => copy('text')));
})();
