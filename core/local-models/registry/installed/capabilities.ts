import type { Capability, ModelMetadata } from '../../base/installed-model.ts';
import { templateThinks } from '../../prompting/output/thinking.ts';
import { activeTemplate } from '../../prompting/templates/active-template.ts';
import { ModelTemplate } from '../../prompting/templates/model-template.ts';

/**
 * What a model can be asked for, told by its file and its TEMPLATE; without one, by the chat template in the file
 * (those come first, as the API lists them).
 */
export function capabilitiesOf(
  metadata: Pick<ModelMetadata, 'poolingType' | 'hasVision' | 'chatTemplate' | 'makesImages'>,
  layer: string | undefined,
  hasProjector: boolean,
  renderer?: string,
): Capability[] {
  if (metadata.makesImages) return ['image'];
  const found: Capability[] = [];
  const template = activeTemplate(layer, renderer, metadata.chatTemplate);
  if (template === undefined && metadata.chatTemplate !== undefined) {
    if (/\btools\b/.test(metadata.chatTemplate)) found.push('tools');
    if (templateThinks(metadata.chatTemplate)) found.push('thinking');
  }
  found.push(metadata.poolingType === undefined ? 'completion' : 'embedding');
  if (metadata.hasVision || hasProjector) found.push('vision');
  const names = template === undefined ? undefined : namesIn(template);
  if (names?.has('tools')) found.push('tools');
  if (names?.has('suffix')) found.push('insert');
  if (names?.has('thinking') || names?.has('think')) found.push('thinking');
  return found;
}

function namesIn(template: string): ReadonlySet<string> {
  try {
    return new ModelTemplate(template).fieldNames;
  } catch {
    // A template that cannot be read says nothing; using it tells what is wrong with it.
    return new Set();
  }
}
