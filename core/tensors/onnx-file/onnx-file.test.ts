import { describe, expect, test } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { ONNX_ELEMENT_TYPES, onnxElementNumber } from './element-types.ts';
import { encodeProtobuf, type ProtobufMessage, protobufMessage } from './encode-protobuf.ts';
import { readExternalTensors } from './external-data.ts';
import { forEachField, ProtobufReader } from './protobuf-reader.ts';
import { readOnnxOutline } from './read-graph-file.ts';

const bytesOf = (message: ProtobufMessage) => encodeProtobuf(message);
const readerOf = (bytes: Uint8Array) =>
  new ProtobufReader(bytes.length, async (start, end) => bytes.subarray(start, end));
const outlineOf = (bytes: Uint8Array) =>
  readOnnxOutline(bytes.length, async (start, end) => bytes.subarray(start, end));

describe('encodeProtobuf', () => {
  // The bytes are those of the examples in protobuf's own documentation of its encoding, and of protoc.
  test.each<[string, ProtobufMessage, number[]]>([
    ['a varint', protobufMessage([1, 150]), [0x08, 0x96, 0x01]],
    ['zero', protobufMessage([1, 0]), [0x08, 0x00]],
    ['a text', protobufMessage([2, 'testing']), [0x12, 0x07, ...new TextEncoder().encode('testing')]],
    ['a nested message', protobufMessage([3, protobufMessage([1, 150])]), [0x1a, 0x03, 0x08, 0x96, 0x01]],
    ['bytes', protobufMessage([4, Uint8Array.of(7, 8)]), [0x22, 0x02, 7, 8]],
    ['a float', protobufMessage([2, { float: 1 }]), [0x15, 0, 0, 0x80, 0x3f]],
    ['minus one', protobufMessage([1, -1n]), [0x08, ...Array(9).fill(0xff), 0x01]],
    ['a field number above 15', protobufMessage([16, 1]), [0x80, 0x01, 0x01]],
    ['undefined fields', protobufMessage(undefined, [1, 1], undefined), [0x08, 0x01]],
  ])('%s', (_, message, bytes) => expect([...bytesOf(message)]).toEqual(bytes));
});

describe('ProtobufReader', () => {
  test.each([[0], [127], [128], [2 ** 31], [2 ** 53 - 1]])('reads the varint %d', async (value) => {
    const bytes = bytesOf(protobufMessage([1, BigInt(value)])).subarray(1);
    const reader = readerOf(bytes);
    expect(await reader.varint()).toBe(value);
    expect(reader.at).toBe(bytes.length);
  });

  test('a varint of more than ten bytes is no ONNX file', async () => {
    await expect(readerOf(new Uint8Array(11).fill(0x80)).varint()).rejects.toThrow(
      new ModelCorrupt('it is no ONNX file'),
    );
  });

  test('a varint that is cut off is damage', async () => {
    await expect(readerOf(Uint8Array.of(0x80)).varint()).rejects.toThrow(
      new ModelCorrupt('its graph is cut off or damaged'),
    );
  });

  test('reads in windows of 64 KiB, and never what is skipped', async () => {
    const size = 1_000_000;
    const ranges: number[][] = [];
    const reader = new ProtobufReader(size, async (start, end) => {
      ranges.push([start, end]);
      return new Uint8Array(end - start).fill(65);
    });
    expect(await reader.text(3)).toBe('AAA');
    await reader.text(65_536);
    reader.at = 500_000;
    await reader.varint();
    reader.at = size - 1;
    await reader.varint();
    expect(ranges).toEqual([
      [0, 65_536],
      [500_000, 565_536],
      [999_999, 1_000_000],
    ]);
  });

  test('of a long text only the first 4096 bytes are read', async () => {
    const reader = readerOf(new Uint8Array(5000).fill(65));
    expect(await reader.text(5000)).toHaveLength(4096);
    expect(reader.at).toBe(4096);
  });
});

describe('forEachField', () => {
  const fieldsOf = async (bytes: Uint8Array, end = bytes.length) => {
    const fields: [number, number | undefined, number][] = [];
    const reader = readerOf(bytes);
    await forEachField(reader, end, async (...field) => void fields.push(field));
    return { fields, at: reader.at };
  };

  test('reports varints with their value and others with their end, and skips fixed sizes', async () => {
    const bytes = Uint8Array.of(0x08, 5, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1d, 1, 2, 3, 4, 0x22, 2, 9, 9);
    expect(await fieldsOf(bytes)).toEqual({
      fields: [
        [1, undefined, 5],
        [4, 20, 0],
      ],
      at: 20,
    });
  });

  test.each([
    ['a group', [0x0b], 'it is no ONNX file'],
    ['a length behind the end', [0x0a, 3, 1, 2], 'its graph is cut off or damaged'],
    ['eight bytes that are five', [0x09, 1, 2, 3, 4, 5], 'its graph is cut off or damaged'],
  ])('%s is refused', async (_, bytes, message) => {
    await expect(fieldsOf(Uint8Array.from(bytes))).rejects.toThrow(new ModelCorrupt(message));
  });

  test('a varint that crosses the end of its message is refused', async () => {
    await expect(fieldsOf(Uint8Array.of(0x08, 0x96, 0x01), 2)).rejects.toThrow('cut off or damaged');
  });

  test('a caller that reads past the end of its field is refused', async () => {
    const reader = readerOf(Uint8Array.of(0x0a, 1, 7, 0x08, 1));
    const reading = forEachField(reader, 5, async (_, end) => {
      if (end !== undefined) reader.at = end + 1;
    });
    await expect(reading).rejects.toThrow('cut off or damaged');
  });
});

const pair = (key: string, value: string) => protobufMessage([1, key], [2, value]);

describe('readOnnxOutline', () => {
  const tensor = (name: string, ...fields: Parameters<typeof protobufMessage>) =>
    protobufMessage([8, name], ...fields);
  const node = protobufMessage(
    [1, 'a'],
    [1, 'b'],
    [2, 'c'],
    [3, 'matmul'],
    [4, 'Gemm'],
    [5, protobufMessage([1, 'transB'], [3, 1], [20, 2])],
    [5, protobufMessage([1, 'alpha'], [2, { float: 0.5 }], [20, 1])],
    [9, pair('pkg.torch.onnx.name_scopes', "['', 'unet', 'unet.conv', 'conv_1']")],
    [9, pair('other', "['x', 'y']")],
  );
  const graph = protobufMessage(
    [1, node],
    [5, tensor('packed', [1, Uint8Array.of(2, 0x80, 0x01)], [2, 1], [9, new Uint8Array(8)])],
    [5, tensor('floats', [1, 3], [1, 4], [2, 1], [4, new Uint8Array(48)])],
    [
      5,
      tensor(
        'external',
        [1, 5],
        [2, 10],
        [13, pair('location', 'data')],
        [13, pair('offset', '16')],
        [13, pair('length', '10')],
      ),
    ],
    [5, tensor('elsewhere', [2, 999])],
    [11, protobufMessage([1, 'x'])],
    [12, protobufMessage([1, 'y'])],
  );
  const opset = (domain: string, version: number) => protobufMessage([1, domain], [2, version]);
  const model = protobufMessage(
    [8, opset('com.microsoft', 99)],
    [8, opset('', 17)],
    [8, opset('ai.onnx', 18)],
    [7, graph],
  );

  test('reads nodes, initializers, inputs, outputs and the newest opset', async () => {
    const bytes = bytesOf(model);
    const outline = await outlineOf(bytes);
    expect(outline).toMatchObject({ inputs: ['x'], outputs: ['y'], opset: 18, size: bytes.length });
    expect(outline.nodes).toMatchObject([
      {
        name: 'matmul',
        operator: 'Gemm',
        module: 'unet.conv',
        inputs: ['a', 'b'],
        outputs: ['c'],
        attributes: { transB: 1 },
      },
    ]);
    const text = (range: { start: number; end: number }) =>
      new TextDecoder().decode(bytes.subarray(range.start, range.end));
    expect(outline.nodes[0]!.inputRanges.map(text)).toEqual(['a', 'b']);
    expect(outline.nodes[0]!.outputRanges.map(text)).toEqual(['c']);
  });

  test('says where the numbers of an initializer lie', async () => {
    const { initializers } = await outlineOf(bytesOf(model));
    expect(initializers.map(({ name, type, shape }) => [name, type, shape])).toEqual([
      ['packed', 'F32', [2, 128]],
      ['floats', 'F32', [3, 4]],
      ['external', 'F16', [5]],
      ['elsewhere', '999', []],
    ]);
    const sizes = initializers.map(
      ({ location }) => location && [location.file, location.end - location.start],
    );
    expect(sizes).toEqual([[undefined, 8], [undefined, 48], ['data', 10], undefined]);
    expect(initializers[2]!.location!.start).toBe(16);
  });

  test('a file without a graph is no ONNX file', async () => {
    await expect(outlineOf(bytesOf(protobufMessage([8, opset('', 17)])))).rejects.toThrow(
      'it is no ONNX file',
    );
  });

  test('a graph with more than 500,000 parts is refused', async () => {
    const emptyNode = Uint8Array.of(0x0a, 0);
    const nodes = new Uint8Array(2 * 500_002);
    for (let at = 0; at < nodes.length; at += 2) nodes.set(emptyNode, at);
    await expect(outlineOf(bytesOf(protobufMessage([7, nodes])))).rejects.toThrow(
      'its graph has too many parts',
    );
  });
});

describe('readExternalTensors', () => {
  const external = (...pairs: [string, string][]) =>
    protobufMessage(...pairs.map(([key, value]) => [13, pair(key, value)] as [number, ProtobufMessage]));

  test('finds tensors of the graph, of attributes and of subgraphs', async () => {
    const attribute = protobufMessage(
      [5, external(['location', './one'])],
      [6, protobufMessage([5, external(['location', 'two'], ['offset', '8'])])],
      [10, external(['location', 'three'], ['length', '12'])],
    );
    const bytes = bytesOf(
      protobufMessage([
        7,
        protobufMessage(
          [1, protobufMessage([5, attribute])],
          [5, protobufMessage([8, 'inline'], [9, new Uint8Array(4)])],
          [5, external(['location', 'four'])],
        ),
      ]),
    );
    const tensors = await readExternalTensors(bytes.length, async (start, end) => bytes.subarray(start, end));
    expect(
      tensors.map(({ location, offset, length }) => [
        location.text,
        offset?.text,
        length && Number(length.text),
      ]),
    ).toEqual([
      ['./one', undefined, undefined],
      ['two', '8', undefined],
      ['three', undefined, 12],
      ['four', undefined, undefined],
    ]);
    const { location } = tensors[0]!;
    expect(new TextDecoder().decode(bytes.subarray(location.start, location.end))).toBe('./one');
  });
});

test('element types have one number each', () => {
  for (const [number, type] of Object.entries(ONNX_ELEMENT_TYPES))
    expect(onnxElementNumber(type)).toBe(Number(number));
  expect(onnxElementNumber('F8')).toBeNaN();
});
