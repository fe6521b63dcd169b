import { kinds } from '../../src/checks/index.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppConfig } from '../../src/kernel/settings.ts'
import { type App, createApp } from '../../src/monitor/createMonitor.ts'
import { type Clock, createSystemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { Secret } from '../../src/lib/secret.ts'
import { loadRules } from '../../src/rules/loadRules.ts'
import { readRuleFolder } from '../../src/rules/readRuleFolder.ts'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { plainConfig } from './appConfig.ts'

export interface Monitor {
  readonly app: App
  readonly inbox: Awaited<ReturnType<typeof createSlackInbox>>
  readonly log: string[]
  /** What Slack got, as a person reads it. */
  readonly told: () => string[]
  stop(): Promise<void>
}

export interface MonitorOptions {
  readonly url: string
  /** YAML of rules; the shipped ones when left out. */
  readonly rules?: string
  readonly config?: Partial<AppConfig>
  readonly stateDir?: string
  /** The system's when left out. */
  readonly clock?: Clock
  /** Of a request to the explorer, real ms. */
  readonly timeoutMs?: number
  readonly pace?: AppConfig['explorer']['pace']
  readonly links?: AppConfig['explorer']['links']
  /** Takes what the console channel prints. */
  readonly write?: (text: string) => void
}

/** The daemon in this process, at quick intervals, with a Slack-like inbox as its only channel. */
export async function startMonitor(options: MonitorOptions): Promise<Monitor> {
  const inbox = await createSlackInbox({ keep: Infinity })
  const log: string[] = []
  const ownStateDir = options.stateDir === undefined ? mkdtempSync(join(tmpdir(), 'spanwatch-e2e-')) : null
  const loaded = options.rules
    ? loadRules([{ path: 'rules.yaml', text: options.rules }], kinds)
    : await readRuleFolder(join(import.meta.dirname, '../../rules'), kinds)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, null, 1))
  const config: AppConfig = {
    ...plainConfig,
    explorer: {
      ...plainConfig.explorer,
      baseUrl: options.url,
      pace: options.pace ?? plainConfig.explorer.pace,
      timeoutMs: options.timeoutMs ?? plainConfig.explorer.timeoutMs,
      links: options.links ?? plainConfig.explorer.links,
    },
    stateDir: options.stateDir ?? ownStateDir ?? '',
    channels: [{ name: 'ops', type: 'slack', url: new Secret(inbox.url) }],
    routes: [
      {
        match: null,
        channels: ['ops'],
        groupBy: ['rule'],
        groupWaitMs: null,
        groupIntervalMs: 1_000,
        repeatMs: 14_400_000,
        continue: false,
      },
    ],
    ...options.config,
  }
  const app = createApp(
    {
      clock: options.clock ?? createSystemClock(),
      log: createLog({ write: (line) => void log.push(line) }),
      write: options.write ?? (() => {}),
      random: Math.random,
    },
    { config, rules: loaded.rules, version: 'test' },
  )
  await app.start()
  return {
    app,
    inbox,
    log,
    told: () => inbox.messages.map(({ text }) => text),
    async stop() {
      await app.stop()
      await inbox.close()
      if (ownStateDir !== null) rmSync(ownStateDir, { recursive: true, force: true })
    },
  }
}

/** Waits until it holds; fails after `withinMs` with what was last seen. */
export async function until(holds: () => boolean, withinMs = 60_000): Promise<number> {
  const startedAt = performance.now()
  while (!holds()) {
    if (performance.now() - startedAt > withinMs) throw new Error(`did not hold within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return performance.now() - startedAt
}
