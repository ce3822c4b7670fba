import { start } from '/tabd/index.js';

const registration = await navigator.serviceWorker.register('/sw.js', { type: 'module' });
const tabd = await start({
  apis: ['local-models'],
  serviceWorker: registration,
  onConsent: ({ model, bytes }) => confirm(`Download ${model} (${Math.round(bytes / 1e6)} MB)?`),
});
document.documentElement.dataset.tabd = tabd.state.phase;

document.querySelector('#orders').textContent = await (await fetch('/api/orders')).text();

document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { model, question } = Object.fromEntries(new FormData(event.target));
  const answer = document.querySelector('#answer');
  answer.textContent = 'Downloading the model, if it is not here yet…';
  // A plain fetch: the site's service worker hands it to tabd.
  const pull = await fetch('/api/pull', { method: 'POST', body: JSON.stringify({ model, stream: false }) });
  const pulled = await pull.json();
  if (pulled.error) {
    answer.textContent = pulled.error;
    return;
  }
  const response = await fetch('/api/generate', {
    method: 'POST',
    body: JSON.stringify({ model, prompt: question, stream: false, options: { temperature: 0 } }),
  });
  const { response: text, error } = await response.json();
  answer.textContent = text ?? error;
});
