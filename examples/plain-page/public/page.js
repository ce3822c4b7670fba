import { start } from './tabd/index.js';

const tabd = await start({ apis: ['local-models'], intercept: true });
document.documentElement.dataset.tabd = tabd.state.phase;

// What is written for a local server finds it here.
const { version } = await (await fetch('http://localhost:11434/api/version')).json();
document.querySelector('#version').textContent = `API level ${version}`;
