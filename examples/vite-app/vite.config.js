import tabd from 'tabd/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [tabd()] });
