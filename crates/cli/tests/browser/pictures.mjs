// Pictures of the page, for documents: with WATCHKEEPER_SCREENSHOTS=DIR they are written there, with at most 256 colours, so
// that each is small. Without it nothing is written.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';

const folder = process.env.WATCHKEEPER_SCREENSHOTS || '';
export const draws = folder !== '';

/** Writes a PNG of the browser under a name, with fewer colours. */
export async function picture(name, png) {
  mkdirSync(folder, { recursive: true });
  const small = reduced(png);
  writeFileSync(join(folder, name + '.png'), small.length < png.length ? small : png);
}

const CRCS = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
const crc = (bytes) => ~bytes.reduce((c, b) => CRCS[(c ^ b) & 255] ^ (c >>> 8), -1) >>> 0;

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc(body) >>> 0);
  return Buffer.concat([length, body, sum]);
}

/** The pixels of a PNG of eight bits a colour, as 24-bit numbers. */
function pixels(png) {
  let [at, header] = [8, null];
  const parts = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') header = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), depth: data[8], colour: data[9] };
    if (kind === 'IDAT') parts.push(data);
    at += 12 + length;
  }
  const { width, height, depth, colour } = header;
  if (depth !== 8 || (colour !== 2 && colour !== 6)) throw new Error('a PNG of another kind than browsers make');
  const size = colour === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * size;
  const out = new Uint8Array(line * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const left = x >= size ? out[y * line + x - size] : 0;
      const up = y ? out[(y - 1) * line + x] : 0;
      const corner = y && x >= size ? out[(y - 1) * line + x - size] : 0;
      let guess = 0;
      if (filter === 1) guess = left;
      else if (filter === 2) guess = up;
      else if (filter === 3) guess = (left + up) >> 1;
      else if (filter === 4) {
        const p = left + up - corner;
        const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
        guess = a <= b && a <= c ? left : b <= c ? up : corner;
      }
      out[y * line + x] = raw[y * (line + 1) + 1 + x] + guess;
    }
  }
  const found = new Uint32Array(width * height);
  for (let i = 0; i < found.length; i++) found[i] = (out[i * size] << 16) | (out[i * size + 1] << 8) | out[i * size + 2];
  return { width, height, found };
}

/** The same picture with its 256 most frequent colours; others become the nearest of them. */
function reduced(png) {
  const { width, height, found } = pixels(png);
  const counts = new Map();
  for (const colour of found) counts.set(colour, (counts.get(colour) || 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([colour]) => colour);
  const index = new Map(palette.map((colour, i) => [colour, i]));
  const parts = (c) => [c >> 16, (c >> 8) & 255, c & 255];
  const known = palette.map(parts);
  const nearest = (colour) => {
    const [r, g, b] = parts(colour);
    let [best, least] = [0, Infinity];
    known.forEach(([x, y, z], i) => {
      const far = (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    return best;
  };
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = found[y * width + x];
      if (!index.has(colour)) index.set(colour, nearest(colour));
      lines[y * (width + 1) + 1 + x] = index.get(colour);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', head), chunk('PLTE', Buffer.from(known.flat())), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
