import type { selftestStrings as English } from '../selftest.ts';
import { commonStrings } from './common.ts';

export const selftestStrings: typeof English = {
  heading: commonStrings.selftest,
  subtitle:
    'Stellt der GPU und der CPU dieses Geräts dieselbe kurze Frage und vergleicht die Antworten. Das dauert etwa eine Minute und lädt das Modell zweimal.',
  run: commonStrings.runSelftest,
  running: commonStrings.running,
  stop: commonStrings.stop,
  copy: commonStrings.copyReport,
  copied: commonStrings.copied,
  noModel: 'Lade zuerst ein Modell herunter.',
  same: 'Auf beiden die gleiche Antwort',
  different: 'Verschiedene Antworten',
  rates: (answer, prompt, seconds) => `${answer} · Prompt ${prompt} · Laden ${seconds} s`,
  noGpu: 'Dieser Browser bietet keine nutzbare GPU, daher wurde nur die CPU geprüft.',
};
