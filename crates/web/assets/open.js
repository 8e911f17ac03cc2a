// Opening what was made elsewhere: verdicts, ITF traces and recordings as files, or a link. A recording that departs
// from the model is shown beside the model's own run, up to the step that the model does not allow.
(function () {
  'use strict';
  const WK = window.WK;
  const { h, fill, session, api } = WK;
  const MOST = 64 * 1024 * 1024;
  const KINDS = { verdict: 'Verdict', itf: 'ITF trace', recording: 'Recording' };

  const drawn = (svg, label) => h('figure', {}, h('figcaption', {}, h('h3', {}, label)), h('div', { class: 'sheet', tabindex: '0', role: 'region', 'aria-label': label }, svg));

  function drawing(svg, label) {
    const element = document.createElement('wk-drawing');
    const figure = drawn(element, label);
    element.show(svg);
    return figure;
  }

  class OpenView extends HTMLElement {
    connectedCallback() {
      if (this.found) return;
      const input = h('input', { type: 'file', multiple: true, id: 'files', data: { testid: 'files' }, on: { click: () => (input.value = ''), change: WK.tried(() => this.read([...input.files])) } });
      const drop = h('div', { class: 'drop', on: {
        dragover: (e) => (e.preventDefault(), drop.classList.add('over')), dragleave: () => drop.classList.remove('over'),
        drop: (e) => {
          e.preventDefault();
          drop.classList.remove('over');
          const files = [...e.dataTransfer.files];
          WK.tried(() => this.read(files))();
        },
      } }, h('p', {}, h('label', { for: 'files' }, h('b', {}, 'Open files'), ', or drop them here')), h('p', { class: 'hint' }, 'A verdict (JSON), an ITF trace, or the recordings of all nodes of a run (several files)'), input);
      this.link = h('input', { type: 'text', spellcheck: 'false', placeholder: 'http://127.0.0.1:.../#ring?n=3&run=...', data: { testid: 'link' } });
      const form = h('form', { class: 'card', on: { submit: (e) => (e.preventDefault(), WK.tried(() => this.follow())()) } }, WK.field('Paste a link', this.link, 'A link of another page or machine opens here: it contains the scenario and the run.'), h('div', {}, h('button', { type: 'submit', data: { testid: 'link-open' } }, 'Open the link')));
      this.found = h('div', { class: 'found' });
      this.append(h('h2', {}, 'Open'), h('div', { class: 'pair' }, drop, form), this.found);
    }

    async read(files) {
      if (!files.length) return;
      const size = files.reduce((sum, file) => sum + file.size, 0);
      if (size > MOST) return this.refuse('These files have ' + Math.round(size / 1048576) + ' MB; at most 64 MB can be opened here. Use `watchkeeper replay` in a terminal.');
      fill(this.found, h('p', { class: 'hint', role: 'status' }, 'Reading ' + WK.plural(files.length, 'file') + '.'));
      try {
        const texts = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
        await this.show(await api.post('/api/import', { files: texts, ...(session.open && { protocol: session.protocol, settings: session.settings }) }));
      } catch (error) {
        this.refuse(error.message);
        if ([0, 401].includes(error.status)) throw error;
      }
    }

    refuse(why) {
      fill(this.found, h('p', { class: 'wrong', role: 'alert' }, why));
    }

    /** What the command line imported before the page was opened. */
    async again(number) {
      await this.show(await api.get('/api/import/' + number));
    }

    async show(answer) {
      const { departs } = answer;
      const open = answer.run && h('button', { type: 'button', class: 'main', data: { testid: 'open-run' }, on: { click: WK.tried(() => WK.openRun(answer, answer.protocol)) } }, departs ? 'Open the run up to there' : 'Open the run');
      const models = h('div', {});
      fill(this.found, h('article', { class: 'card', 'aria-label': KINDS[answer.kind] || answer.kind },
        h('h3', { data: { testid: 'import-headline' } }, (KINDS[answer.kind] || answer.kind) + ': ' + answer.headline), h('p', { class: 'hint' }, WK.scenario(answer.protocol, answer.settings)),
        departs && h('div', { class: 'notice warn', data: { testid: 'departs' } }, h('div', {}, h('p', {}, h('strong', {}, 'The run of the file departs from the model at step ' + departs.step + '. '), answer.headline.includes(departs.why) ? null : departs.why),
          departs.enabled && h('details', {}, h('summary', {}, 'What the model allows after the step before, at some time '), h('ul', { class: 'plain' }, departs.enabled.map((label) => h('li', {}, label)))))),
        h('div', { class: 'inline' }, open),
        departs ? h('div', { class: 'pair' }, drawing(departs.recorded_svg, 'Recorded'), models) : answer.svg && drawing(answer.svg, 'The run as it is in the file')));
      WK.say(answer.headline);
      this.found.querySelectorAll('wk-drawing').forEach((d) => d.size());
      if (departs && answer.run) await this.model(models, answer);
    }

    /** The model's own run up to the departure. */
    async model(place, answer) {
      const space = (await api.post('/api/open', { protocol: answer.protocol, settings: answer.settings, clients: answer.clients || 0 })).space;
      const run = await api.post('/api/resolve', { space, run: answer.run });
      const chart = await api.post('/api/chart', { space, start: run.start, steps: run.steps, from: Math.max(0, run.steps.length - 80), to: run.steps.length, only: null, loop: null, picks: [] });
      fill(place, drawing(chart.svg, 'The model, up to there'));
      place.querySelectorAll('wk-drawing').forEach((d) => d.size());
    }

    async follow() {
      const address = WK.address.parse(this.link.value);
      if (!address.protocol || !this.link.value.includes('#')) return this.refuse('This is no link of the page: it has no # with a protocol behind it.');
      await session.openAddress({ ...address, tab: address.tab || 'steps' }, { push: true });
    }

    draw() {}
  }

  customElements.define('wk-open', OpenView);
})();
