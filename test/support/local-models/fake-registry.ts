/** Installed models in memory, for tests of the code that runs them. Pulls and imports fail. */

import type { InstalledModel, ModelMetadata, ModelName } from '#core/local-models/base/installed-model.ts';
import type { ModelRegistry } from '#core/local-models/registry/model-registry.ts';
import { displayName, parseName } from '#core/local-models/registry/names/model-name.ts';

export type FakeModel = Partial<Omit<InstalledModel, 'name'>> & {
  name: string;
  metadata?: Partial<ModelMetadata>;
  /** Models with the same weights share a loaded model. Default: the name. */
  weights?: string;
};

export const chatmlTemplate =
  '{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n';

export function fakeRegistry(models: FakeModel[]): ModelRegistry {
  const installed = models.map(({ name, metadata, weights, ...rest }) => ({
    metadata: { ...plainMetadata, ...metadata },
    model: {
      ...plainModel,
      name: parseName(name),
      digest: hex(name),
      files: [{ role: 'weights' as const, digest: `sha256:${hex(weights ?? name)}` as const, size: 98e6 }],
      ...rest,
    },
  }));
  const find = (name: ModelName) =>
    installed.find(({ model }) => displayName(model.name).toLowerCase() === displayName(name).toLowerCase());
  const nothing = () => {
    throw new Error('the fake registry only holds what it was given');
  };
  return {
    parse: parseName,
    display: displayName,
    find: async (name) => find(name)?.model,
    list: async () => installed.map(({ model }) => model),
    revision: () => undefined,
    delete: nothing,
    metadata: async (model) => find(model.name)!.metadata,
    pull: nothing,
    importFiles: nothing,
    copy: nothing,
    create: nothing,
    push: nothing,
    hasBlob: nothing,
    storeBlob: nothing,
    prune: async () => {},
    close: async () => {},
  };
}

const plainModel: Omit<InstalledModel, 'name' | 'digest' | 'files'> = {
  size: 98e6,
  modifiedAt: 0,
  format: 'gguf',
  template: chatmlTemplate,
  licences: [],
  parameters: { stop: ['<|im_start|>', '<|im_end|>'] },
  messages: [],
  origin: 'test',
  capabilities: ['completion'],
};

const plainMetadata: ModelMetadata = {
  architecture: 'llama',
  quantization: 'Q4_1',
  parameterCount: 135e6,
  contextLength: 8192,
  embeddingLength: 576,
  addBos: false,
  hasVision: false,
  keyValues: [],
  tensors: [],
};

function hex(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .padEnd(64, '0')
    .slice(0, 64);
}
