import type { PrebuiltModel } from '#core/host';
import { jsonResponse } from '#core/http';
import { catalogueEntries, declaredCapabilities } from '../registry/catalogue/catalogue.ts';
import type { LocalModelServices } from '../runs/services.ts';

/** GET /api/experimental/model-recommendations: the catalogue's models, then those that the engines themselves list */
export async function listRecommendations({ host }: LocalModelServices): Promise<Response> {
  const prebuilt = (await host.prebuilt?.()) ?? [];
  return jsonResponse({
    recommendations: [
      ...catalogueEntries.map((entry) => ({
        model: entry.name,
        description: entry.description,
        parameter_size: entry.parameters,
        license: entry.licence,
        capabilities: declaredCapabilities(entry),
        ...(entry.bytes !== undefined && { size: entry.bytes }),
      })),
      ...prebuilt.map(describePrebuilt),
    ],
  });
}

function describePrebuilt({ id, quantization, gpuMemory }: PrebuiltModel) {
  const needs = /f16/.test(quantization) ? 'a GPU with 16-bit floats' : 'any WebGPU';
  const size = gpuMemory === undefined ? '' : ` and ${(gpuMemory / 1e9).toFixed(1)} GB of its memory`;
  return {
    model: id,
    description: `MLC for web-llm: needs ${needs}${size}`,
    ...(gpuMemory === undefined ? {} : { vram_bytes: gpuMemory }),
  };
}
