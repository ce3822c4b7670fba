import type { Triangles } from './mesh.ts';

/** Constants of glTF 2.0 (ISO/IEC 12113:2022), sections 3.6 and 4.4. */
const [MAGIC, JSON_CHUNK, BINARY_CHUNK] = [0x46546c67, 0x4e4f534a, 0x004e4942];
const [FLOAT, UNSIGNED_INT, TRIANGLES] = [5126, 5125, 4];
const [VERTICES, INDICES] = [34962, 34963];

/** A binary glTF 2.0 file with one surface. `texts` become extras of the asset. */
export function writeGlb(
  { vertices, faces }: Triangles,
  texts: Readonly<Record<string, string>>,
): Uint8Array {
  const bounds = [0, 1, 2].map((axis) => extent(vertices, axis));
  const document = {
    asset: {
      version: '2.0',
      generator: 'tabd',
      ...(Object.keys(texts).length > 0 && { extras: texts }),
    },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, mode: TRIANGLES }] }],
    buffers: [{ byteLength: vertices.byteLength + faces.byteLength }],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: vertices.byteLength, target: VERTICES },
      { buffer: 0, byteOffset: vertices.byteLength, byteLength: faces.byteLength, target: INDICES },
    ],
    accessors: [
      {
        bufferView: 0,
        componentType: FLOAT,
        count: vertices.length / 3,
        type: 'VEC3',
        min: bounds.map(([min]) => min),
        max: bounds.map(([, max]) => max),
      },
      { bufferView: 1, componentType: UNSIGNED_INT, count: faces.length, type: 'SCALAR' },
    ],
  };
  const json = padded(new TextEncoder().encode(JSON.stringify(document)));
  const file = new Uint8Array(12 + 8 + json.length + 8 + vertices.byteLength + faces.byteLength);
  const view = new DataView(file.buffer);
  let at = 0;
  const words = (...numbers: number[]) => {
    for (const number of numbers) {
      view.setUint32(at, number, true);
      at += 4;
    }
  };
  words(MAGIC, 2, file.length, json.length, JSON_CHUNK);
  file.set(json, at);
  at += json.length;
  words(vertices.byteLength + faces.byteLength, BINARY_CHUNK);
  // The format is little endian, as are all machines that run this.
  file.set(new Uint8Array(vertices.buffer, vertices.byteOffset, vertices.byteLength), at);
  file.set(new Uint8Array(faces.buffer, faces.byteOffset, faces.byteLength), at + vertices.byteLength);
  return file;
}

/** The bounds of the vertices along an axis. */
function extent(vertices: Float32Array, axis: number): [min: number, max: number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = axis; at < vertices.length; at += 3) {
    min = Math.min(min, vertices[at]!);
    max = Math.max(max, vertices[at]!);
  }
  return [min, max];
}

/** Pads a text with spaces to a multiple of 4 bytes. */
function padded(text: Uint8Array): Uint8Array {
  const aligned = new Uint8Array(Math.ceil(text.length / 4) * 4).fill(0x20);
  aligned.set(text);
  return aligned;
}
