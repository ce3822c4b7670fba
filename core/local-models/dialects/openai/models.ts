/** GET /v1/models and GET /v1/models/:model */
import type { RouteCall } from '#core/http';
import type { InstalledModel } from '../../base/installed-model.ts';
import { localName, modelNotFound } from '../../runs/model-name.ts';
import type { LocalModelServices } from '../../runs/services.ts';
import { jsonLine } from '../respond.ts';
import { openaiRunError } from './errors.ts';

const wireModel = (id: string, model: InstalledModel) => ({
  id,
  object: 'model',
  created: Math.floor(model.modifiedAt / 1000),
  owned_by: model.name.namespace,
});

export async function listOpenaiModels({ registry }: LocalModelServices): Promise<Response> {
  const models = await registry.list();
  const data = models.map((model) => wireModel(registry.display(model.name), model));
  return jsonLine({ object: 'list', data: data.length ? data : null });
}

export async function getOpenaiModel(
  { registry }: LocalModelServices,
  { params }: RouteCall,
): Promise<Response> {
  const requestedName = params.model!;
  try {
    const name = registry.parse(localName(requestedName, 'remote model details are unavailable'));
    const model = await registry.find(name);
    if (!model) throw modelNotFound(registry.display(name));
    return jsonLine(wireModel(requestedName, model));
  } catch (error) {
    return openaiRunError(error);
  }
}
