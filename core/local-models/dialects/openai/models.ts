/** GET /v1/models and GET /v1/models/:model */
import { printJson, type RouteCall, textResponse } from '#core/http';
import type { InstalledModel } from '../../base/installed-model.ts';
import { modelNotFound } from '../../routes/run-request.ts';
import { localName } from '../../runs/model-name.ts';
import type { LocalModels } from '../../runs/services.ts';
import { openaiRunFailure } from './errors.ts';

const wireModel = (id: string, model: InstalledModel) => ({
  id,
  object: 'model',
  created: Math.floor(model.modifiedAt / 1000),
  owned_by: model.name.namespace,
});

const respond = (value: unknown) => textResponse(`${printJson(value)}\n`, 200, 'application/json');

export async function listModels({ registry }: LocalModels): Promise<Response> {
  const models = await registry.list();
  const data = models.map((model) => wireModel(registry.display(model.name), model));
  return respond({ object: 'list', data: data.length ? data : null });
}

export async function retrieveModel({ registry }: LocalModels, { params }: RouteCall): Promise<Response> {
  const spelled = params.model!;
  try {
    const name = registry.parse(localName(spelled, 'remote model details are unavailable'));
    const model = await registry.find(name);
    if (!model) throw modelNotFound(registry.display(name));
    return respond(wireModel(spelled, model));
  } catch (error) {
    return openaiRunFailure(error);
  }
}
