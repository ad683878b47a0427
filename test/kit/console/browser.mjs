/** Debian's Chromium, driven by playwright-core, which downloads nothing. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a browser on this machine, or undefined: then whoever asked says loudly that nothing was tested. */
export function findBrowser() {
  return [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path));
}

/** @param {string} executablePath */
export function openBrowser(executablePath) {
  // Chromium's own sandbox needs rights that containers do not have; the pages are ours.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}
