import { start } from 'tabd';

// `tabd copy dist` has put sw.js and the folder tabd/ beside this page.
const tabd = await start({
  apis: ['local-models'],
  prefix: '/ai',
  onConsent: ({ model }) => confirm(`Download ${model}?`),
});
document.documentElement.dataset.tabd = tabd.state.phase;

const { models } = await (await fetch('/ai/api/tags')).json();
document.querySelector('#models').textContent = `${models.length} models are installed in this browser.`;
