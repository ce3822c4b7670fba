/** The config layer of a manifest: a model's description of itself. */
import * as v from 'valibot';
import { printJson } from '#core/http';
import type { ModelConfig } from '../../base/installed-model.ts';

const text = v.fallback(v.optional(v.string()), undefined);
const texts = v.fallback(v.optional(v.array(v.string())), undefined);
const wire = v.object({
  model_family: text,
  model_families: texts,
  model_type: text,
  file_type: text,
  renderer: text,
  parser: text,
  requires: text,
  capabilities: texts,
});

/** Ignores members of the wrong type. Returns an empty config for any other text. */
export function parseConfig(source: string): ModelConfig {
  let found: v.InferOutput<typeof wire>;
  try {
    found = v.parse(wire, JSON.parse(source));
  } catch {
    return {};
  }
  const config: ModelConfig = {
    family: found.model_family,
    families: found.model_families,
    parameterSize: found.model_type,
    quantization: found.file_type,
    renderer: found.renderer,
    parser: found.parser,
    requires: found.requires,
    capabilities: found.capabilities,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value?.length));
}

/** Prints the members in Ollama's order, with its line feed: equal models have equal digests. */
export function printConfig(format: string, config: ModelConfig): string {
  const { family = '', families, parameterSize = '', quantization = '' } = config;
  const nonEmpty = <T extends { length: number }>(value: T | undefined) =>
    value?.length ? value : undefined;
  const body = printJson({
    model_format: format,
    model_family: family,
    model_families: families ?? (family ? [family] : null),
    model_type: parameterSize,
    file_type: quantization,
    renderer: nonEmpty(config.renderer),
    parser: nonEmpty(config.parser),
    requires: nonEmpty(config.requires),
    capabilities: nonEmpty(config.capabilities),
    architecture: 'amd64',
    os: 'linux',
  });
  return `${body}\n`;
}
