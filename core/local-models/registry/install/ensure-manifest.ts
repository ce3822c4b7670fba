import type { InstalledModel } from '../../base/installed-model.ts';
import { formatParameterCount } from '../formats/gguf/format-parameter-count.ts';
import { BlobHolds } from '../installed/blob-holds.ts';
import { hexDigits, sha256 } from '../manifest/digests.ts';
import {
  CONFIG_MEDIA_TYPE,
  fileToLayer,
  type Manifest,
  parseManifest,
  printManifest,
} from '../manifest/manifest.ts';
import { printConfig } from '../manifest/model-config.ts';
import { composeLayers, storeText } from '../manifest/text-layers.ts';
import type { InstallContext } from './installation.ts';

/** A model with its manifest. Writes a manifest for a model that an early version installed without one. */
export async function ensureManifest(
  { host, models, metadata }: InstallContext,
  model: InstalledModel,
): Promise<{ model: InstalledModel; manifest: Manifest; text: string }> {
  const existing = model.manifest === undefined ? undefined : parseManifest(model.manifest);
  if (existing) return { model, manifest: existing, text: model.manifest! };
  const { architecture, parameterCount, quantization } = await metadata.ofModel(model.files, model.format);
  const holds = new BlobHolds(models);
  try {
    const { template, system, licences, parameters, messages, format } = model;
    const layers = await composeLayers(
      host.blobs,
      model.files.map(fileToLayer),
      {
        ...(template === undefined ? {} : { template }),
        ...(system === undefined ? {} : { system }),
        licences,
        parameters: { ...parameters },
        messages: messages.map((message) => ({ ...message })),
      },
      holds.hold,
    );
    const config = printConfig(format, {
      family: architecture,
      parameterSize: formatParameterCount(parameterCount),
      quantization,
    });
    const text = printManifest(await storeText(host.blobs, CONFIG_MEDIA_TYPE, config, holds.hold), layers);
    const updated = { ...model, manifest: text, digest: hexDigits(await sha256(text)) };
    await models.put(updated);
    return { model: updated, manifest: parseManifest(text)!, text };
  } finally {
    holds.release();
  }
}
