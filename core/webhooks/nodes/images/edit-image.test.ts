import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { decodeImage, encodePng } from '#core/image-codecs';
import { createEngine } from '#core/webhooks/engine/create-engine.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { type Color, type Image, newImage } from './image.ts';

let engine: Engine;
beforeAll(async () => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  engine = await createEngine(
    { ...host, imageCodecs: nodeCodecs },
    {
      credentials: { data: async () => undefined },
      localApis: { fetch: async () => new Response(null, { status: 503 }) },
    },
  );
});
afterAll(() => engine.close());

const RED: Color = [255, 0, 0, 255];
const BLUE: Color = [0, 0, 255, 255];
const CLEAR: Color = [0, 0, 0, 0];

/** An image of four quarters: red and blue above, blue and red below. */
function quarters(width: number, height: number): Image {
  const image = newImage(width, height, RED);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (x < width / 2 !== y < height / 2) image.data.set(BLUE, (y * width + x) * 4);
    }
  }
  return image;
}

const fileOf = (image: Image, fileName = 'a.png') => ({
  data: Buffer.from(encodePng({ ...image, channels: 4 })).toString('base64'),
  mimeType: 'image/png',
  fileName,
});

async function run(parameters: JsonObject, files: Record<string, Image> = { data: quarters(20, 10) }) {
  const binary = Object.fromEntries(Object.entries(files).map(([name, image]) => [name, fileOf(image)]));
  const { items, error } = await runWebhookNode(engine, { type: 'n8n-nodes-base.editImage', parameters }, [
    { json: { kept: 1 }, binary },
  ] as unknown as Item[]);
  return { item: items[0]?.[0], error: error?.message };
}

/** The image of the result, with a function that reads a pixel. */
async function imageOf(parameters: JsonObject, files?: Record<string, Image>) {
  const { item, error } = await run(parameters, files);
  expect(error).toBeUndefined();
  const file = item!.binary!.data!;
  const bytes = await engine.services.binary('1').bytes(file);
  const { frames, format } = await decodeImage(bytes, nodeCodecs);
  const { width, height, channels, data } = frames[0]!;
  const at = (x: number, y: number) => {
    const from = (y * width + x) * channels;
    return [...data.subarray(from, from + channels), ...(channels === 3 ? [255] : [])];
  };
  return { size: [width, height], at, file, format, json: item!.json };
}

it('reads facts about an image', async () => {
  const { item } = await run({ operation: 'information' });
  expect(item!.json).toMatchObject({ format: 'PNG', size: { width: 20, height: 10 }, frames: 1 });
  expect(item!.binary?.data).toBeDefined();
});

describe('sizes', () => {
  it.each([
    ['ignoreAspectRatio', 7, 9, [7, 9]],
    ['maximumArea', 10, 20, [20, 10]],
    ['maximumArea', 5, 10, [10, 5]],
    ['minimumArea', 10, 10, [20, 10]],
    ['onlyIfLarger', 10, 10, [10, 5]],
    ['onlyIfLarger', 100, 100, [20, 10]],
    ['onlyIfSmaller', 10, 10, [20, 10]],
    ['onlyIfSmaller', 40, 40, [40, 20]],
    ['percent', 50, 200, [10, 20]],
  ])('by %s to %d x %d', async (resizeOption, width, height, size) => {
    const image = await imageOf({ operation: 'resize', resizeOption, width, height });
    expect(image.size).toEqual(size);
    // The quarters stay where they are, apart from the filter's overshoot.
    const isRed = ([red, , blue]: number[]) => red! > 240 && blue! < 15;
    const isBlue = ([red, , blue]: number[]) => blue! > 240 && red! < 15;
    expect(isRed(image.at(0, 0))).toBe(true);
    expect(isBlue(image.at(size[0]! - 1, 0))).toBe(true);
    expect(isBlue(image.at(0, size[1]! - 1))).toBe(true);
  });

  it('keep colors free of what is transparent', async () => {
    const image = newImage(8, 8, [0, 255, 0, 0]);
    for (let y = 0; y < 8; y++) for (let x = 0; x < 4; x++) image.data.set(RED, (y * 8 + x) * 4);
    const small = await imageOf(
      { operation: 'resize', resizeOption: 'ignoreAspectRatio', width: 3, height: 3 },
      { data: image },
    );
    const [red, green, , alpha] = small.at(1, 1);
    expect([red, green]).toEqual([255, 0]);
    expect(alpha).toBeGreaterThan(80);
    expect(alpha).toBeLessThan(170);
  });
});

it('crops, and adds a border', async () => {
  const cropped = await imageOf({ operation: 'crop', width: 500, height: 4, positionX: 8, positionY: 3 });
  expect(cropped.size).toEqual([12, 4]);
  expect([cropped.at(0, 0), cropped.at(2, 0), cropped.at(0, 2)]).toEqual([RED, BLUE, BLUE]);
  const border = { operation: 'border', borderWidth: 2, borderHeight: 1, borderColor: '#0f0' };
  const bordered = await imageOf(border);
  expect(bordered.size).toEqual([24, 12]);
  expect([bordered.at(1, 1), bordered.at(2, 1)]).toEqual([[0, 255, 0, 255], RED]);
});

it.each([
  [90, [10, 20], [BLUE, RED]],
  [180, [20, 10], [RED, BLUE]],
  [-90, [10, 20], [BLUE, RED]],
  [360, [20, 10], [RED, BLUE]],
])('rotates by %d degrees', async (degrees, size, corners) => {
  const image = await imageOf({ operation: 'rotate', rotate: degrees, backgroundColor: '#ffffffff' });
  expect(image.size).toEqual(size);
  expect([image.at(0, 0), image.at(size[0]! - 1, 0)]).toEqual(corners);
});

it('rotates clockwise', async () => {
  const image = newImage(3, 2, CLEAR);
  image.data.set(RED, 0);
  const turned = await imageOf({ operation: 'rotate', rotate: 90 }, { data: image });
  expect([turned.at(0, 0), turned.at(1, 0)]).toEqual([CLEAR, RED]);
});

it('fills the corners of a turned image, and leaves those of a sheared one clear', async () => {
  const square = { data: newImage(20, 20, RED) };
  const turned = await imageOf({ operation: 'rotate', rotate: 45, backgroundColor: '#00ff00' }, square);
  expect(turned.size).toEqual([29, 29]);
  expect([turned.at(0, 0), turned.at(14, 14)]).toEqual([[0, 255, 0, 255], RED]);
  const sheared = await imageOf({ operation: 'shear', degreesX: 45, degreesY: 0 }, square);
  expect(sheared.size).toEqual([40, 20]);
  expect([sheared.at(39, 0)[3], sheared.at(0, 19)[3], sheared.at(20, 10)]).toEqual([0, 0, RED]);
});

it('blurs without darker edges', async () => {
  const plain = await imageOf({ operation: 'blur', blur: 5, sigma: 2 }, { data: newImage(9, 9, RED) });
  expect([plain.at(0, 0), plain.at(4, 4)]).toEqual([RED, RED]);
  const { at } = await imageOf({ operation: 'blur', blur: 0, sigma: 2 });
  const [red, , blue] = at(9, 2);
  expect(red! + blue!).toBeGreaterThan(253);
  expect(red).toBeLessThan(200);
});

it('makes a color transparent', async () => {
  const image = await imageOf({ operation: 'transparent', color: '#ff0000' });
  expect([image.at(0, 0)[3], image.at(19, 0)]).toEqual([0, BLUE]);
});

describe('composite', () => {
  const under = newImage(4, 4, [100, 0, 0, 255]);
  it.each([
    ['Over', [0, 50, 200, 255], [0, 50, 200, 255]],
    ['Plus', [200, 50, 0, 255], [255, 50, 0, 255]],
    ['Minus', [40, 50, 0, 255], [60, 0, 0, 255]],
    ['Difference', [140, 50, 0, 255], [40, 50, 0, 255]],
    ['Multiply', [51, 50, 0, 255], [20, 0, 0, 255]],
    ['CopyGreen', [9, 50, 9, 255], [100, 50, 0, 255]],
    ['CopyOpacity', [9, 9, 9, 128], [100, 0, 0, 128]],
    ['Out', [9, 9, 9, 255], [0, 0, 0, 0]],
  ])('by %s', async (operator, color, expected) => {
    const parameters = {
      operation: 'composite',
      dataPropertyNameComposite: 'top',
      operator,
      positionX: 2,
      positionY: -1,
    };
    const image = await imageOf(parameters, { data: under, top: newImage(4, 4, color as unknown as Color) });
    expect(image.size).toEqual([4, 4]);
    expect(image.at(2, 0)).toEqual(expected);
    // Outside of the upper image.
    expect([image.at(1, 0), image.at(3, 3)]).toEqual([
      [100, 0, 0, 255],
      [100, 0, 0, 255],
    ]);
  });
});

it('draws shapes, of which both ends are part', async () => {
  const white = { data: newImage(20, 20, [255, 255, 255, 255]) };
  const draw = (more: JsonObject) =>
    imageOf(
      { operation: 'draw', startPositionX: 4, startPositionY: 4, endPositionX: 9, endPositionY: 9, ...more },
      white,
    );
  const rectangle = await draw({ primitive: 'rectangle' });
  expect([rectangle.at(4, 4), rectangle.at(9, 9)]).toEqual([RED, RED]);
  expect([rectangle.at(3, 4), rectangle.at(10, 9)]).toEqual([
    [255, 255, 255, 255],
    [255, 255, 255, 255],
  ]);
  const round = await draw({ primitive: 'rectangle', cornerRadius: 3, color: '#0000ff' });
  expect([round.at(4, 4)[2], round.at(4, 4)[0]! > 100, round.at(6, 6)]).toEqual([255, true, BLUE]);
  const circle = await draw({ primitive: 'circle', endPositionX: 7, endPositionY: 4 });
  expect([circle.at(4, 7)[0], circle.at(1, 1), circle.at(4, 4)]).toEqual([255, [255, 255, 255, 255], RED]);
  const line = await draw({ primitive: 'line', endPositionY: 4 });
  expect([line.at(6, 4), line.at(6, 6)]).toEqual([RED, [255, 255, 255, 255]]);
  const glass = await draw({ primitive: 'rectangle', color: '#ff000080' });
  expect(glass.at(5, 5)).toEqual([255, 128, 128, 255]);
});

it('does several operations, and begins with a new image', async () => {
  const operations = [
    { operation: 'create', width: 30, height: 20, backgroundColor: '#ffffffff' },
    { operation: 'composite', dataPropertyNameComposite: 'data', positionX: 5, positionY: 5 },
    { operation: 'border' },
  ];
  const image = await imageOf({ operation: 'multiStep', operations: { operations } });
  expect(image.size).toEqual([50, 40]);
  expect([image.at(0, 0), image.at(10, 10)[3], image.at(15, 15)]).toEqual([[0, 0, 0, 255], 0, RED]);
  expect(image.json).toEqual({ kept: 1 });
});

describe('files', () => {
  it.each(['jpeg', 'webp', 'png'])('are written as %s', async (format) => {
    const options = { format, quality: 90 };
    const image = await imageOf({ operation: 'resize', width: 16, height: 16, options });
    expect(image).toMatchObject({ format, file: { mimeType: `image/${format}`, fileName: `a.${format}` } });
    const [red, , blue] = image.at(1, 1);
    expect(red).toBeGreaterThan(220);
    expect(blue).toBeLessThan(40);
  });

  it('are written as BMP with their rows from the top', async () => {
    const { item } = await run({
      operation: 'crop',
      width: 2,
      height: 1,
      options: { format: 'bmp', fileName: 'x.bmp' },
    });
    expect(item!.binary!.data).toMatchObject({ mimeType: 'image/bmp', fileName: 'x.bmp' });
    const bytes = Buffer.from(await engine.services.binary('1').bytes(item!.binary!.data!));
    expect([bytes.toString('latin1', 0, 2), bytes.readInt32LE(18), bytes.readInt32LE(22)]).toEqual([
      'BM',
      2,
      -1,
    ]);
    expect([...bytes.subarray(bytes.readUInt32LE(10))]).toEqual([...RED, ...RED]);
  });

  it('become white where JPEG cannot be transparent', async () => {
    const image = await imageOf(
      { operation: 'rotate', rotate: 0, options: { format: 'jpeg' } },
      { data: newImage(8, 8) },
    );
    expect(image.at(4, 4)).toEqual([255, 255, 255, 255]);
  });
});

describe('refuses', () => {
  it.each([
    [{ operation: 'text', text: 'x' }, 'The operation "text" is not there: there are no fonts'],
    [{ operation: 'crop', positionX: 50 }, 'The part to crop lies outside of the image'],
    [{ operation: 'border', borderColor: 'no color' }, 'Unrecognized color (no color)'],
    [{ operation: 'resize', width: 0 }, 'An image cannot have 0 x 500 pixels'],
    [{ operation: 'resize', width: 'wide' }, 'The parameter "width" must be a number, not "wide"'],
    [
      { operation: 'resize', width: 1e6, height: 1e6, resizeOption: 'ignoreAspectRatio' },
      'An image of 1000000 x 1000000 pixels is too large: the limit is 64 million pixels',
    ],
    [{ operation: 'shear', degreesX: 90 }, 'An image cannot be sheared by 90 degrees'],
    [
      { operation: 'blur', options: { format: 'tiff' } },
      'Images cannot be written as TIFF here: choose the format bmp, jpeg, png, webp',
    ],
    [{ operation: 'multiStep' }, 'The node has no operation'],
    [
      { operation: 'composite', operator: 'CopyCyan', dataPropertyNameComposite: 'data' },
      /^The operator "CopyCyan" is not there/,
    ],
    [{ operation: 'blur', dataPropertyName: 'other' }, /other/],
  ])('%j', async (parameters, message) => {
    const { error } = await run(parameters as JsonObject);
    if (typeof message === 'string') expect(error).toBe(message);
    else expect(error).toMatch(message);
  });

  it('a file that is no image', async () => {
    const binary = { data: { data: btoa('text'), mimeType: 'image/png' } };
    const { error } = await runWebhookNode(engine, { type: 'n8n-nodes-base.editImage', parameters: {} }, [
      { json: {}, binary },
    ] as unknown as Item[]);
    expect(error?.message).toBe('The image cannot be read: the file is no PNG, JPEG, WebP or GIF image');
  });

  it('to go on when the execution is cancelled', async () => {
    const cancel = new AbortController();
    const image = newImage(1500, 1500, RED);
    const running = runWebhookNode(
      engine,
      { type: 'n8n-nodes-base.editImage', parameters: { operation: 'blur', blur: 0, sigma: 300 } },
      [{ json: {}, binary: { data: fileOf(image) } }] as unknown as Item[],
      { signal: cancel.signal },
    );
    setTimeout(() => cancel.abort(new Error('cancelled')), 300);
    const outcome = await running.catch(() => ({ status: 'canceled' }));
    expect(outcome.status).not.toBe('success');
  }, 60_000);
});
