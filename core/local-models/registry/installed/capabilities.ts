import type { ModelFile } from '#core/host';
import type { Capability, ModelConfig, ModelMetadata } from '../../base/installed-model.ts';
import { templateThinks } from '../../prompting/output/thinking.ts';
import { activeTemplate } from '../../prompting/templates/active-template.ts';
import { ModelTemplate } from '../../prompting/templates/model-template.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';

/** Media that a model takes by its file, or by the file of its projector. */
type Senses = Pick<ModelMetadata, 'hasVision' | 'hasAudio'>;

/** The senses of the projectors among a model's files. One that cannot be read fails when a prompt needs it. */
export function projectorSenses(
  files: readonly ModelFile[],
  metadata: Pick<MetadataCache, 'ofFile'>,
): Promise<Senses[]> {
  const projectors = files.filter(({ role }) => role === 'projector');
  const unknown = { hasVision: true };
  return Promise.all(projectors.map(({ digest }) => metadata.ofFile(digest).catch(() => unknown)));
}

/** The capabilities of a model by its file, its TEMPLATE and its config. */
export function modelCapabilities(
  metadata: ModelMetadata,
  template: string | undefined,
  projectors: readonly Senses[],
  { renderer, capabilities = [] }: ModelConfig,
): Capability[] {
  const detected = detectCapabilities(metadata, template, projectors, renderer);
  return [...new Set([...detected, ...(capabilities as Capability[])])];
}

/**
 * The order is Ollama's: a model without a TEMPLATE has the capabilities of its chat template first.
 * @param layer the TEMPLATE
 */
export function detectCapabilities(
  metadata: Pick<ModelMetadata, 'poolingType' | 'chatTemplate' | 'makesImages' | 'hears' | 'speaks'> & Senses,
  layer: string | undefined,
  projectors: readonly Senses[],
  renderer?: string,
): Capability[] {
  if (metadata.makesImages) return ['image'];
  if (metadata.hears) return ['audio'];
  if (metadata.speaks) return ['speech'];
  const capabilities: Capability[] = [];
  const template = activeTemplate(layer, renderer, metadata.chatTemplate);
  if (template === undefined && metadata.chatTemplate !== undefined) {
    if (/\btools\b/.test(metadata.chatTemplate)) capabilities.push('tools');
    if (templateThinks(metadata.chatTemplate)) capabilities.push('thinking');
  }
  capabilities.push(metadata.poolingType === undefined ? 'completion' : 'embedding');
  const parts = [metadata, ...projectors];
  // Projectors of old files do not say that they are for images.
  if (metadata.hasVision || projectors.some(({ hasVision, hasAudio }) => hasVision || !hasAudio))
    capabilities.push('vision');
  if (parts.some(({ hasAudio }) => hasAudio)) capabilities.push('audio');
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
