import { commonStrings } from './common.ts';
import { localized } from './language.ts';

/** Texts of the self-test view. */
export const selftestStrings = localized('selftestStrings', {
  heading: commonStrings.selftest,
  subtitle:
    'Runs the same short prompt on the GPU and on the CPU of this device and compares the answers. Takes about a minute and loads the model twice.',
  run: commonStrings.runSelftest,
  running: commonStrings.running,
  stop: commonStrings.stop,
  copy: commonStrings.copyReport,
  copied: commonStrings.copied,
  noModel: 'Download a model first.',
  same: 'Same answer on both',
  different: 'Different answers',
  rates: (answer: string, prompt: string, seconds: string) =>
    `${answer} · prompt ${prompt} · load ${seconds} s`,
  noGpu: 'This browser offers no usable GPU, so only the CPU was tested.',
});
