/** Prompts that wait, run or have finished, in one list. */
import { emptyResponse, type RouteCall } from '#core/http';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { allJobs, durationOf, JOB_STATUSES, type Job, jobDetails } from './job.ts';
import { countParameter, wordsParameter } from './query.ts';

interface JobFilter {
  statuses: string[] | undefined;
  /** Id of the workflow that a client stored with its prompts. */
  workflow: string | null;
}

interface JobOrder {
  by: string;
  direction: string;
}

export async function listJobs(server: ImageServer, { url }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const filter = {
    statuses: wordsParameter(query, 'status', JOB_STATUSES),
    workflow: query.get('workflow_id'),
  };
  const order = {
    by: wordsParameter(query, 'sort_by', ['created_at', 'execution_duration'])?.[0] ?? 'created_at',
    direction: wordsParameter(query, 'sort_order', ['asc', 'desc'])?.[0] ?? 'desc',
  };
  const limit = countParameter(query, 'limit', 1);
  const offset = countParameter(query, 'offset', 0) ?? 0;
  const { queue } = await server.ready();
  const matching = sortJobs(filterJobs(allJobs(queue), filter), order);
  const jobs = matching.slice(offset, limit === undefined ? undefined : offset + limit);
  const pagination = {
    offset,
    limit: limit ?? null,
    total: matching.length,
    has_more: offset + jobs.length < matching.length,
  };
  return pythonJsonResponse({ jobs, pagination });
}

export async function showJob(server: ImageServer, { params }: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const job = jobDetails(queue, params.id!);
  return job ? pythonJsonResponse(job) : jobNotFound();
}

/** Cancels a job. A finished job stays as it is, with the same response. */
export async function cancelJob(server: ImageServer, { params }: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const id = params.id!;
  const removed = await queue.remove((prompt) => prompt.id === id);
  const isFound = removed > 0 || queue.interrupt(id) || queue.history.get(id) !== undefined;
  return isFound ? emptyResponse(200) : jobNotFound();
}

const jobNotFound = () => pythonJsonResponse({ error: 'Job not found' }, 404);

function filterJobs(jobs: readonly Job[], { statuses, workflow }: JobFilter): Job[] {
  return jobs.filter(
    ({ status, workflow_id }) =>
      (!statuses || statuses.includes(status)) && (workflow === null || workflow_id === workflow),
  );
}

/** Stable: jobs of equal value keep their order. */
function sortJobs(jobs: Job[], { by, direction }: JobOrder): Job[] {
  const value = (job: Job) => (by === 'created_at' ? (job.create_time ?? 0) : durationOf(job));
  const sign = direction === 'asc' ? 1 : -1;
  return jobs.sort((a, b) => sign * (value(a) - value(b)));
}
