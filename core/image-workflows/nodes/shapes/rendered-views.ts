/** Shapes as an editor shows them: its renders of a model file come in as pictures. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { Video } from '../../values/media.ts';
import { loadImageAndMask } from '../image/load.ts';
import { anyOf, choice, int, optional, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { loadVideoFile } from '../video/files.ts';

const shared = { category: '3d', module: 'comfy_extras.nodes_load_3d', experimental: true } as const;
const MODEL = /\.(gltf|glb|obj|fbx|stl)$/i;

const models = async (files: WorkflowFiles) =>
  (await files.names('input', true)).filter((name) => name.startsWith('3d/') && MODEL.test(name));

/** What the editor put beside the model: names of uploaded pictures, and where it looked from. */
function partsOf(view: unknown): Record<string, unknown> {
  if (view instanceof Map) return Object.fromEntries(view as Map<string, unknown>);
  return typeof view === 'object' && view !== null ? (view as Record<string, unknown>) : {};
}

const PICTURES = ['image', 'mask', 'normal', 'lineart'] as const;

/** IMAGE and MASK of one of the renders. Throws where the view does not name it, or it is not there. */
async function render(view: unknown, part: (typeof PICTURES)[number], context: NodeContext) {
  const name = partsOf(view)[part];
  if (typeof name !== 'string' || name === '')
    throw new Error(
      `the view of the model has no picture called ${part}: the editor renders it and uploads it. Without one, upload pictures to /upload/image and give {"image": "x.png", "mask": "x.png", "normal": "x.png", "lineart": "x.png", "camera_info": {}, "recording": ""}`,
    );
  return loadImageAndMask({ image: name }, context);
}

/** What every view has. Throws as `render`. */
async function views(view: unknown, context: NodeContext) {
  const [picture] = await render(view, 'image', context);
  const [, mask] = await render(view, 'mask', context);
  const [normal] = await render(view, 'normal', context);
  return { picture, mask, normal, camera: partsOf(view).camera_info ?? null };
}

/** null: the editor recorded nothing. Throws where the recording is not there. */
async function recording(view: unknown, context: NodeContext): Promise<Video | null> {
  const name = partsOf(view).recording;
  return typeof name === 'string' && name !== '' ? loadVideoFile(name, context) : null;
}

async function digests(view: unknown, { files }: Pick<NodeContext, 'files'>): Promise<string> {
  const parts = partsOf(view);
  const names = [...PICTURES, 'recording']
    .map((part) => parts[part])
    .filter((name) => typeof name === 'string' && name !== '') as string[];
  const places = await Promise.all(names.map((name) => files.find(name)));
  return (await Promise.all(places.map((place) => (place ? files.digest(place.path) : '')))).join();
}

const inputs = (type: string) => ({
  model_file: choice(models, { file_upload: true }),
  image: anyOf(type),
  width: int({ default: 1024, min: 1, max: 4096, step: 1 }),
  height: int({ default: 1024, min: 1, max: 4096, step: 1 }),
});

const load3d = node({
  ...shared,
  name: 'Load3D',
  displayName: 'Load 3D',
  description: 'A model file of input/3d, with pictures of it as the editor rendered them.',
  inputs: inputs('LOAD_3D'),
  outputs: [
    output('IMAGE', 'image'),
    output('MASK', 'mask'),
    output('STRING', 'mesh_path'),
    output('IMAGE', 'normal'),
    output('IMAGE', 'lineart'),
    { type: 'LOAD3D_CAMERA', name: 'camera_info' },
    output('VIDEO', 'recording_video'),
  ],
  fingerprint: ({ image }, context) => digests(image, context),
  async run({ model_file, image }, context) {
    const { picture, mask, normal, camera } = await views(image, context);
    const [lineart] = await render(image, 'lineart', context);
    return [picture, mask, model_file, normal, lineart, camera, await recording(image, context)];
  },
});

const load3dAnimation = node({
  ...shared,
  name: 'Load3DAnimation',
  displayName: 'Load 3D - Animation',
  description: 'A model file that moves of input/3d, with pictures of it as the editor rendered them.',
  inputs: inputs('LOAD_3D_ANIMATION'),
  outputs: [
    output('IMAGE', 'image'),
    output('MASK', 'mask'),
    output('STRING', 'mesh_path'),
    output('IMAGE', 'normal'),
    { type: 'LOAD3D_CAMERA', name: 'camera_info' },
    output('VIDEO', 'recording_video'),
  ],
  fingerprint: ({ image }, context) => digests(image, context),
  async run({ model_file, image }, context) {
    const { picture, mask, normal, camera } = await views(image, context);
    return [picture, mask, model_file, normal, camera, await recording(image, context)];
  },
});

const preview = (name: string, displayName: string): AnyNode =>
  node({
    ...shared,
    name,
    displayName,
    description: 'Shows a model file in the editor, as the camera saw it.',
    isOutput: true,
    inputs: {
      model_file: string({ default: '', multiline: false }),
      camera_info: optional(anyOf('LOAD3D_CAMERA')),
    },
    outputs: [],
    run: ({ model_file, camera_info }) => ({ ui: { result: [model_file, camera_info ?? null] } }),
  });

export const shapeViewNodes: AnyNode[] = [
  load3d,
  load3dAnimation,
  preview('Preview3D', 'Preview 3D'),
  preview('Preview3DAnimation', 'Preview 3D - Animation'),
];
