import type { Digest } from '#core/host';
import type { InstalledModel } from '../../base/installed-model.ts';
import { parameterSize } from '../formats/gguf/parameter-size.ts';
import {
  configType,
  fileLayer,
  type Manifest,
  parseManifest,
  printManifest,
  sha256,
} from '../manifest/manifest.ts';
import { printConfig } from '../manifest/model-config.ts';
import { composeLayers, storeText } from '../manifest/text-layers.ts';
import type { Installer } from './install.ts';

/** The model's manifest. One that was installed before manifests were kept gets its own now. */
export async function withManifest(
  { host, models, metadata }: Installer,
  model: InstalledModel,
): Promise<{ model: InstalledModel; manifest: Manifest; text: string }> {
  const known = model.manifest === undefined ? undefined : parseManifest(model.manifest);
  if (known) return { model, manifest: known, text: model.manifest! };
  const { architecture, parameterCount, quantization } = await metadata.ofModel(model.files, model.format);
  const releases: (() => void)[] = [];
  const hold = (digest: Digest) => void releases.push(models.hold(digest));
  try {
    const { template, system, licences, parameters, messages, format } = model;
    const layers = await composeLayers(
      host.blobs,
      model.files.map(fileLayer),
      {
        ...(template === undefined ? {} : { template }),
        ...(system === undefined ? {} : { system }),
        licences,
        parameters: { ...parameters },
        messages: messages.map((message) => ({ ...message })),
      },
      hold,
    );
    const config = printConfig(format, {
      family: architecture,
      parameterSize: parameterSize(parameterCount),
      quantization,
    });
    const text = printManifest(await storeText(host.blobs, configType, config, hold), layers);
    const digest = (await sha256(text)).slice('sha256:'.length);
    const updated = { ...model, manifest: text, digest };
    await models.put(updated);
    return { model: updated, manifest: parseManifest(text)!, text };
  } finally {
    for (const release of releases) release();
  }
}
