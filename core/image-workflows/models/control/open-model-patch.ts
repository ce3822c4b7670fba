/** Files of the folder model_patches. */
import { type Host, ModelUnsupported } from '#core/host';
import type { BlockControlNet } from '../../values/block-control.ts';
import type { StyleModel } from '../../values/vision.ts';
import { isStyleProjector, styleProjector } from '../vision/style-projector.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { blockControlNet, isBlockControl } from './block-control-net.ts';

/** Reads the file's table only. Rejects with `ModelUnsupported` for other patches. */
export async function openModelPatch(host: Host, name: string): Promise<StyleModel | BlockControlNet> {
  const file = await readWeightFile(host.files, `models/model_patches/${name}`);
  if (isStyleProjector(file.table)) return styleProjector(host, file);
  if (isBlockControl(file.table)) return blockControlNet(host, file);
  throw new ModelUnsupported(
    `${name} is neither the style projector of USO nor a control net of DiffSynth for Qwen-Image, and patches for Z-Image do not run here yet: ${describeContents(file)}`,
  );
}
