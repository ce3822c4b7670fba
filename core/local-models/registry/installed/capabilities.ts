import type { Capability, ModelConfig, ModelMetadata } from '../../base/installed-model.ts';
import { templateThinks } from '../../prompting/output/thinking.ts';
import { activeTemplate } from '../../prompting/templates/active-template.ts';
import { ModelTemplate } from '../../prompting/templates/model-template.ts';

/** The capabilities of a model by its file, its TEMPLATE and its config. */
export function modelCapabilities(
  metadata: ModelMetadata,
  template: string | undefined,
  hasProjector: boolean,
  { renderer, capabilities = [] }: ModelConfig,
): Capability[] {
  const detected = detectCapabilities(metadata, template, hasProjector, renderer);
  return [...new Set([...detected, ...(capabilities as Capability[])])];
}

/**
 * The order is Ollama's: a model without a TEMPLATE has the capabilities of its chat template first.
 * @param layer the TEMPLATE
 */
export function detectCapabilities(
  metadata: Pick<ModelMetadata, 'poolingType' | 'hasVision' | 'chatTemplate' | 'makesImages'>,
  layer: string | undefined,
  hasProjector: boolean,
  renderer?: string,
): Capability[] {
  if (metadata.makesImages) return ['image'];
  const capabilities: Capability[] = [];
  const template = activeTemplate(layer, renderer, metadata.chatTemplate);
  if (template === undefined && metadata.chatTemplate !== undefined) {
    if (/\btools\b/.test(metadata.chatTemplate)) capabilities.push('tools');
    if (templateThinks(metadata.chatTemplate)) capabilities.push('thinking');
  }
  capabilities.push(metadata.poolingType === undefined ? 'completion' : 'embedding');
  if (metadata.hasVision || hasProjector) capabilities.push('vision');
  const fields = template === undefined ? undefined : fieldNames(template);
  if (fields?.has('tools')) capabilities.push('tools');
  if (fields?.has('suffix')) capabilities.push('insert');
  if (fields?.has('thinking') || fields?.has('think')) capabilities.push('thinking');
  return capabilities;
}

function fieldNames(template: string): ReadonlySet<string> {
  try {
    return new ModelTemplate(template).fieldNames;
  } catch {
    // Rendering reports a template that cannot be parsed.
    return new Set();
  }
}
