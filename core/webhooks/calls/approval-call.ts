/** A person approves or declines: a call of an address that a message contains as a button. */
import { isbot } from 'isbot';
import { ApiError } from '#core/http';
import type { Engine } from '../engine/engine.ts';
import { renderMessage } from '../forms/render/ending.ts';
import { pageResponse } from './forms/form-response.ts';

/**
 * Resumes the execution with `{ data: { approved } }`.
 * @throws ApiError 404 for another method than GET
 */
export async function answerApproval(request: Request, id: string, engine: Engine): Promise<Response> {
  const page = (text: string) => pageResponse(renderMessage('Got it, thanks', text), engine.settings);
  if (request.method === 'HEAD') return page('');
  if (request.method !== 'GET') throw new ApiError(404, `The question of execution "${id}" takes GET`);
  // Programs that preview links in messages do not decide.
  if (isbot(request.headers.get('user-agent') ?? '')) return page('Open this page in a browser to answer.');
  const approved = new URL(request.url).searchParams.get('approved') === 'true';
  const execution = await engine.executions.resume(id, { output: [[{ json: { data: { approved } } }]] });
  await execution.accepted;
  return page('This page can be closed now');
}
