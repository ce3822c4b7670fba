/** The names of trained tensors in the files of adapters: those of the original layout of networks. */
import type { StoredTensor } from '#core/tensors';
import { originalUnet } from '../families/unet/original-unet-names.ts';

const PREFIX = 'diffusion_model.';

/** Names modules of a UNet. Modules without a place in the original layout keep the names of diffusers. */
export function originalModuleNames(modules: Iterable<string>): (module: string) => string {
  const stand = (file: string): StoredTensor => ({ file, type: 'F32', shape: [], start: 0, end: 0 });
  const table = new Map([...modules].map((module) => [`${module}.weight`, stand(module)]));
  const names = new Map(
    [...originalUnet(table)].map(([name, { file }]) => [file, name.slice(0, -'.weight'.length)]),
  );
  return (module) => PREFIX + (names.get(module) ?? module);
}
