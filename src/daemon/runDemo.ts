import { kinds } from '../checks/index.ts'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../config/loadConfig.ts'
import { createScaledClock, createSystemClock } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import type { AppDeps } from '../monitor/options.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { readRuleFolder } from '../rules/readRuleFolder.ts'
import { createSandbox } from '../sandbox/createSandbox.ts'
import { createSlackInbox } from '../sandbox/inbox/slackInbox.ts'
import { createSmtpInbox } from '../sandbox/inbox/smtpInbox.ts'
import { loadScenario } from '../sandbox/scenario.ts'
import { toWatchYaml } from '../sandbox/toWatchYaml.ts'
import { runMonitor } from './runMonitor.ts'
import type { RunOptions } from './runOptions.ts'

export interface DemoOptions extends Pick<RunOptions, 'stop' | 'onReload' | 'version'> {
  readonly scenario: string
  /** How many times as fast as real time the simulated world, and the daemon with it, lives. */
  readonly speed: number
  readonly seed: number | null
  /** `host:port` of the status page; port 0 takes a free one. */
  readonly listen: string
}

type DemoDeps = Pick<AppDeps, 'log' | 'write' | 'random'>

/**
 * The daemon against a simulated bridge, with a Slack-like and an SMTP inbox that print what they get. Everything
 * runs in this process and in a temporary folder; nothing leaves the machine.
 */
export async function runDemo(deps: DemoDeps, options: DemoOptions): Promise<void> {
  const scenario = await loadScenario(options.scenario)
  const clock = options.speed === 1 ? createSystemClock() : createScaledClock(options.speed)
  const folder = await mkdtemp(join(tmpdir(), 'spanwatch-demo-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const sandbox = createSandbox({ clock, scenario, ...(options.seed !== null && { seed: options.seed }) })
    await sandbox.start()
    stops.push(() => sandbox.stop())
    const slack = await createSlackInbox({ onMessage: ({ text }) => print(deps, '#bridge-alerts', text) })
    stops.push(() => slack.close())
    const mail = await createSmtpInbox({
      onMail: ({ subject, to }) => print(deps, `mail to ${to.join(', ')}`, `Subject: ${subject}`),
    })
    stops.push(() => mail.close())
    const path = join(folder, 'spanwatch.yaml')
    const { canonicalUrl, zoneRpcUrl } = sandbox
    const watched = {
      ...sandbox,
      canonicalUrl: scenario.secondSource ? canonicalUrl : null,
      zoneRpcUrl: scenario.secondSource ? zoneRpcUrl : null,
    }
    const interval = Math.round(Math.min(Math.max(200 * options.speed, 50), 60_000))
    await writeFile(
      path,
      toWatchYaml(watched, {
        pace: '{ maxRequestsPerSecond: 20, concurrency: 4 }',
        interval: `${interval}ms`,
      }) + toYaml({ slack: slack.url, smtp: mail.url, listen: options.listen }),
    )
    const loaded = loadConfig({ path, env: {} })
    if (!loaded.ok) throw new MonitorError('internal', renderProblems(loaded.problems))
    const rules = await readRuleFolder(loaded.config.rulesDir, kinds)
    if (!rules.ok) throw new MonitorError('config.invalid', 'the shipped rules cannot be read')
    await runMonitor(
      { ...deps, clock },
      {
        ...options,
        config: loaded.config,
        rules: rules.rules,
        onReady: (_, url) => deps.write(welcome({ scenario, url, sandbox: sandbox.url })),
      },
    )
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

function toYaml(at: { readonly slack: string; readonly smtp: string; readonly listen: string }): string {
  return `state: ./state
channels:
  slack: { type: slack, url: "${at.slack}" }
  mail: { type: email, smtp: "${at.smtp}", from: spanwatch@example.com, to: [on-call@example.com] }
routes:
  - { match: 'severity == "critical"', channels: [slack, mail], groupInterval: 10s }
  - { channels: [slack], groupWait: 5s, groupInterval: 10s }
http: { listen: "${at.listen}" }
`
}

function welcome(at: {
  scenario: { name: string; description: string }
  url: string | null
  sandbox: string
}): string {
  return `spanwatch demo, scenario "${at.scenario.name}": ${at.scenario.description}

  status page    ${at.url ?? 'none'}
  explorer API   ${at.sandbox} (simulated)

Below is what an on-call engineer would get. Ctrl-C ends it.
`
}

/** Frames a received message, so that the transcript shows where one ends. */
function print(deps: Pick<DemoDeps, 'write'>, where: string, text: string): void {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => `│ ${line}`)
  deps.write(`\n┌ ${where}\n${lines.join('\n')}\n└\n`)
}
