/** Nodes for 3D model files. Editors render a model and upload the renders as images. */
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

/** The members of a view: names of uploaded images, and the camera of the renders. */
function viewMembers(view: unknown): Record<string, unknown> {
  if (view instanceof Map) return Object.fromEntries(view as Map<string, unknown>);
  return typeof view === 'object' && view !== null ? (view as Record<string, unknown>) : {};
}

const RENDERS = ['image', 'mask', 'normal', 'lineart'] as const;

/** IMAGE and MASK of one of the renders. Rejects when the view does not name it, or the file does not exist. */
async function loadRender(view: unknown, render: (typeof RENDERS)[number], context: NodeContext) {
  const name = viewMembers(view)[render];
  if (typeof name !== 'string' || name === '')
    throw new Error(
      `the view of the model has no image called ${render}: the editor renders it and uploads it. Without an editor, upload images to /upload/image and set {"image": "x.png", "mask": "x.png", "normal": "x.png", "lineart": "x.png", "camera_info": {}, "recording": ""}`,
    );
  return loadImageAndMask({ image: name }, context);
}

/** The parts that each view has. Rejects as `loadRender` does. */
async function loadView(view: unknown, context: NodeContext) {
  const [rendered] = await loadRender(view, 'image', context);
  const [, mask] = await loadRender(view, 'mask', context);
  const [normal] = await loadRender(view, 'normal', context);
  return { rendered, mask, normal, camera: viewMembers(view).camera_info ?? null };
}

/** The editor's recording, or null without one. Rejects when the file does not exist. */
async function loadRecording(view: unknown, context: NodeContext): Promise<Video | null> {
  const name = viewMembers(view).recording;
  return typeof name === 'string' && name !== '' ? loadVideoFile(name, context) : null;
}

async function digests(view: unknown, { files }: Pick<NodeContext, 'files'>): Promise<string> {
  const members = viewMembers(view);
  const names = [...RENDERS, 'recording']
    .map((member) => members[member])
    .filter((name) => typeof name === 'string' && name !== '') as string[];
  const found = await Promise.all(names.map((name) => files.find(name)));
  return (await Promise.all(found.map((file) => (file ? files.digest(file.path) : '')))).join();
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
  description: 'Loads a 3D model of input/3d, with the images that the editor rendered of it.',
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
    const { rendered, mask, normal, camera } = await loadView(image, context);
    const [lineart] = await loadRender(image, 'lineart', context);
    return [rendered, mask, model_file, normal, lineart, camera, await loadRecording(image, context)];
  },
});

const load3dAnimation = node({
  ...shared,
  name: 'Load3DAnimation',
  displayName: 'Load 3D - Animation',
  description: 'Loads an animated 3D model of input/3d, with the images that the editor rendered of it.',
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
    const { rendered, mask, normal, camera } = await loadView(image, context);
    return [rendered, mask, model_file, normal, camera, await loadRecording(image, context)];
  },
});

const preview = (name: string, displayName: string): AnyNode =>
  node({
    ...shared,
    name,
    displayName,
    description: 'Shows a 3D model in the editor from the position of the camera.',
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
