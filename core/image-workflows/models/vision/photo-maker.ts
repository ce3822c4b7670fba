/** PhotoMaker: puts the person of an image into the prompt of SDXL. */
import { type Host, ModelUnsupported } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { PhotoMaker } from '../../values/vision.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { modelNames } from '../model-files/model-names.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { hasPrefix, withoutPrefix } from '../weight-files/weight-table.ts';
import { photoMakerGraph } from './photo-maker-graph.ts';
import { preprocessImage } from './preprocess-image.ts';
import { preprocessingOf } from './vision-graph.ts';

const FOLDER = 'models/photomaker';
/** Files that were converted to safetensors keep the name of the published table. */
const TABLE = 'id_encoder.';

export const photoMakerNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'photomaker', [], true);

/** Reads the table of the file only. Rejects for files of other models. */
export async function loadPhotoMaker(host: Host, name: string): Promise<PhotoMaker> {
  const file = await readWeightFile(host.files, `${FOLDER}/${name}`);
  const weights = hasPrefix(file.table, TABLE) ? withoutPrefix(file.table, TABLE) : file.table;
  if (hasPrefix(weights, 'qformer_perceiver.'))
    throw new ModelUnsupported(
      `${name} is version 2 of PhotoMaker, which also needs a recognizer of faces: use photomaker-v1.bin`,
    );
  if (!weights.has('fuse_module.mlp1.fc1.weight') || !weights.has('visual_projection_2.weight'))
    throw new ModelUnsupported(`${name} is no file of PhotoMaker: ${describeContents(file)}`);
  const graph = new WeightFileGraphs(host, file).graph('photomaker', weights, () => photoMakerGraph(weights));
  await graphsOf(host).keepOnly(FOLDER, name);
  return {
    async withPerson(image, token, signal) {
      const session = await graph.session(signal);
      const [pixels, words] = [requireSlot(session, 'pixel_values'), requireSlot(session, 'token')];
      const [width, promptWidth] = [words.shape[1], token.shape[1]];
      if (width !== promptWidth)
        throw new TypeError(
          `PhotoMaker takes prompts of ${width} numbers a token, and this one has ${promptWidth}: use the text encoders of an SDXL checkpoint`,
        );
      const values = await preprocessImage(
        image,
        preprocessingOf(pixels.shape, {}, {}, false),
        'center',
        signal,
      );
      const feeds = { pixel_values: feed(pixels, values), token: feed(words, token) };
      const { fused } = await session.run(feeds, signal);
      return toFloatTensor(fused!);
    },
  };
}
