import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

export const hasBrowser = existsSync(executablePath)

/** The system's Chromium, without what it would ask the network for by itself. */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...more,
  ]
  return chromium.launch({ executablePath, args })
}
