import { ModelError, type ModelProgress, StartError, start } from 'tabd';

const model = new URLSearchParams(location.search).get('model') ?? 'smollm2:135m';
const state = document.querySelector<HTMLElement>('#state')!;
const answer = document.querySelector<HTMLElement>('#answer')!;

try {
  const tabd = await start({
    apis: ['local-models'],
    models: [model],
    // Asks about every download, however small.
    consentAbove: 0,
    onConsent: (download) =>
      confirm(
        `Download ${download.model}, ${Math.round(download.bytes / 1e6)} MB (${download.licence ?? 'licence unknown'})?`,
      ),
    onProgress: ({ completed, total }: ModelProgress) => {
      if (total > 0) state.textContent = `downloading: ${Math.round((100 * completed) / total)} %`;
    },
  });
  document.documentElement.dataset.tabd = tabd.state.phase;
  await tabd.modelsReady;
  state.textContent = 'ready';
} catch (error) {
  if (error instanceof ModelError) state.textContent = `${error.model}: ${error.message}`;
  else if (error instanceof StartError)
    state.textContent = `tabd cannot run here (${error.code}): ${error.message}`;
  else throw error;
}

document.querySelector('form')!.addEventListener('submit', async (event) => {
  event.preventDefault();
  const question = new FormData(event.target as HTMLFormElement).get('question');
  // A plain fetch of this site; with the packages `openai` and `ollama` it is the same.
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: question }] }),
  });
  const { choices, error } = await response.json();
  answer.textContent = choices?.[0].message.content ?? error.message;
});
