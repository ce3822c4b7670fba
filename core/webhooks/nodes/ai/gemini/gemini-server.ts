/** Google's generation of content, for nodes that show its answers as they are. */
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { objectList } from '../../shared/object-list.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { googleServer } from '../wire/network-server.ts';

export async function geminiServer(context: NodeContext): Promise<ModelServer> {
  return googleServer(context, await context.credential('googlePalmApi'));
}

/** @param model with `models/` before its name */
export function generateContent(
  context: NodeContext,
  server: ModelServer,
  { model, ...body }: JsonObject & { model: string },
): Promise<JsonObject> {
  return requestModel(context, server, { path: `/v1beta/${model}:generateContent`, body }, readJson);
}

export interface Candidate extends JsonObject {
  content?: { role?: string; parts?: ContentPart[] };
}

export interface ContentPart extends JsonObject {
  text?: string;
  inlineData?: { mimeType?: string; data?: string };
  functionCall?: { id?: string; name?: string; args?: JsonObject };
}

export function candidatesOf({ candidates }: JsonObject): Candidate[] {
  return objectList(candidates) as Candidate[];
}

export function partsOf({ content }: Candidate): ContentPart[] {
  return objectList(content?.parts) as ContentPart[];
}
