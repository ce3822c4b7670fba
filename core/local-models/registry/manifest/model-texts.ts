import type { InstalledModel } from '../../base/installed-model.ts';
import { parseMessages, parseParameters, type SplitParameters } from './layer-json.ts';
import { type Layer, layerKind } from './manifest.ts';

/** The texts and parameters of a model, in addition to its files. */
export interface ModelTexts extends Partial<SplitParameters> {
  template?: string;
  system?: string;
  messages?: InstalledModel['messages'];
  licences: string[];
}

/**
 * Adds the content of a text layer. Ignores other layers.
 * @throws an error when the text is not in its format
 */
export function addText(texts: ModelTexts, layer: Layer, text: string): void {
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
      Object.assign(texts, parseParameters(text));
      break;
    case 'messages':
      texts.messages = parseMessages(text);
      break;
  }
}

/** Whether `addText` reads this layer. */
export function isTextLayer(layer: Layer): boolean {
  return /^(template|system|license|params|messages)$/.test(layerKind(layer) ?? '');
}
