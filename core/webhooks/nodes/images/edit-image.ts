/** Changes images, without a library of the platform. */
import { isObject, runYielding } from '#core/base';
import type { Binary, Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { type ReadImage, readImage, WRITABLE, writeImage } from './formats.ts';
import type { Image } from './image.ts';
import { applyOperation, OPERATION_PARAMETERS, type Step, unknownOperation } from './operations.ts';
import { operationDefault, parameters } from './parameters.ts';

export const editImage: NodeType = {
  name: 'n8n-nodes-base.editImage',
  label: 'Edit Image',
  description: 'Resizes, crops, turns, blurs and combines images, and draws on them.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters,
  issues({ get }) {
    const steps = get('operations.operations');
    const names = get('operation') === 'multiStep' && Array.isArray(steps) ? steps.map(nameOf) : [];
    const format = get('options.format');
    return [
      ...[get('operation'), ...names]
        .map(String)
        .filter((name) => !isKnown(name))
        .map((name) => unknownOperation(name).message),
      ...(typeof format === 'string' && !format.startsWith('=') && !WRITABLE.includes(format)
        ? [
            `Images cannot be written as ${format.toUpperCase()} here: choose the format ${WRITABLE.join(', ')}`,
          ]
        : []),
    ];
  },
  execute: (context) => perItem(context, (item, index) => edit(context, item, index)),
};

const nameOf = (step: unknown) => (isObject(step) ? step.operation : undefined);
const isKnown = (name: string) =>
  name === 'information' || name === 'multiStep' || Object.hasOwn(OPERATION_PARAMETERS, name);

async function edit(context: NodeContext, item: Item, index: number): Promise<Item> {
  const property = String((await context.parameter('dataPropertyName', index)) || 'data');
  const steps = await stepsOf(context, item, index);
  const isNew = steps?.[0]?.operation === 'create';
  const file = isNew ? item.binary?.[property] : context.binary.require(item, property, index);
  const read = isNew ? undefined : await load(context, file!);
  if (!steps) return { json: information(read!, file!), binary: item.binary ?? {} };
  let image: Image | undefined = read?.image;
  for (const step of steps) image = await runYielding(applyOperation(image, step), context.signal);
  const stored = await store(context, index, image!, { file, format: read?.format ?? 'png' });
  return { json: item.json, binary: { ...item.binary, [property]: stored } };
}

/** The operations of the node. Undefined: it only reads the image. */
async function stepsOf(context: NodeContext, item: Item, index: number): Promise<Step[] | undefined> {
  const operation = context.literal<string>('operation');
  if (operation === 'information') return undefined;
  if (operation !== 'multiStep') {
    const names = Object.hasOwn(OPERATION_PARAMETERS, operation)
      ? OPERATION_PARAMETERS[operation]
      : undefined;
    if (!names) throw unknownOperation(operation);
    const values: JsonObject = {};
    for (const name of names) values[name] = await context.parameter(name, index);
    return [await stepOf(context, item, index, { operation, values })];
  }
  const stored = await context.parameter<unknown>('operations.operations', index, []);
  const list = Array.isArray(stored) ? stored.filter(isObject) : [];
  if (list.length === 0) throw new NodeError('The node has no operation', { itemIndex: index });
  return Promise.all(
    list.map(({ operation: name, ...values }) =>
      stepOf(context, item, index, { operation: String(name), values }),
    ),
  );
}

/** An operation with its defaults, and with the second image that it needs. */
async function stepOf(
  context: NodeContext,
  item: Item,
  index: number,
  { operation, values }: Step,
): Promise<Step> {
  const names = OPERATION_PARAMETERS[operation] ?? [];
  const filled = Object.fromEntries(
    names.map((name) => [name, values[name] ?? operationDefault(operation, name)]),
  );
  if (operation !== 'composite') return { operation, values: filled };
  const file = context.binary.require(item, String(filled.dataPropertyNameComposite ?? ''), index);
  return { operation, values: filled, over: (await load(context, file)).image };
}

async function load(context: NodeContext, file: Binary): Promise<ReadImage> {
  return readImage(await context.binary.bytes(file), context.imageCodecs);
}

async function store(
  context: NodeContext,
  index: number,
  image: Image,
  source: { file: Binary | undefined; format: string },
): Promise<Binary> {
  const chosen = await context.parameter<unknown>('options.format', index, undefined);
  const format = String(chosen || source.format);
  const quality = await context.parameter<unknown>('options.quality', index, undefined);
  const bytes = await writeImage(
    image,
    format,
    quality === undefined ? undefined : Number(quality),
    context.imageCodecs,
  );
  const own = await context.parameter<unknown>('options.fileName', index, undefined);
  const former = source.file?.fileName;
  const fileName = own ? String(own) : chosen ? former?.replace(/\.[^.]*$/, `.${format}`) : former;
  return context.binary.prepare(bytes, {
    mimeType: `image/${format}`,
    ...(fileName !== undefined && { fileName }),
  });
}

/** Facts about an image by the names of `identify`. */
function information({ image, format, frames, hasAlpha }: ReadImage, file: Binary): JsonObject {
  const { width, height } = image;
  return {
    format: format.toUpperCase(),
    size: { width, height },
    Geometry: `${width}x${height}`,
    Type: hasAlpha ? 'true color with transparency' : 'true color',
    depth: 8,
    Depth: '8 bits-per-pixel component',
    frames,
    ...(file.fileSize !== undefined && { Filesize: file.fileSize }),
  };
}
