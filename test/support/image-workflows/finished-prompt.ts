/** Posts a body to a path, or gets the path when there is no body. Resolves with the JSON of the response. */
export type RequestJson = (path: string, body?: string) => Promise<unknown>;

export interface PromptHistoryEntry {
  outputs: Record<string, { images: Record<string, string>[] }>;
  status: { status_str: string; messages: unknown[] };
}

/** A `RequestJson` for the server that listens at `origin`. */
export const askAt =
  (origin: string): RequestJson =>
  async (path, body) =>
    (await fetch(`${origin}${path}`, body === undefined ? {} : { method: 'POST', body })).json();

/** Submits a graph and polls the history until the prompt is in it. Needs no socket. */
export async function finishedPrompt(ask: RequestJson, graph: object): Promise<PromptHistoryEntry> {
  const submitted = await ask('/prompt', JSON.stringify({ prompt: graph }));
  const { prompt_id: id } = submitted as { prompt_id?: string };
  if (!id) throw new Error(`the prompt was refused: ${JSON.stringify(submitted)}`);
  for (;;) {
    const { [id]: entry } = (await ask(`/history/${id}`)) as Record<string, PromptHistoryEntry>;
    if (entry) return entry;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
