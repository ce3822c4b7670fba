import type { InstalledModel } from '../../base/installed-model.ts';
import { type ReadParameters, readMessages, readParameters } from './layer-json.ts';
import { type Layer, layerKind } from './manifest.ts';

/** What is set of a model besides its files. */
export interface ModelTexts extends Partial<ReadParameters> {
  template?: string;
  system?: string;
  messages?: InstalledModel['messages'];
  licences: string[];
}

/** Adds what a text layer says. Layers of other kinds say nothing here. Throws when it is not in its form. */
export function takeText(texts: ModelTexts, layer: Layer, text: string): void {
  switch (layerKind(layer)) {
    case 'template':
      texts.template = text;
      break;
    case 'system':
      texts.system = text;
      break;
    case 'license':
      texts.licences.push(text);
      break;
    case 'params':
      Object.assign(texts, readParameters(text));
      break;
    case 'messages':
      texts.messages = readMessages(text);
      break;
  }
}

/** Whether a layer holds a text that `takeText` understands. */
export function isText(layer: Layer): boolean {
  return /^(template|system|license|params|messages)$/.test(layerKind(layer) ?? '');
}
