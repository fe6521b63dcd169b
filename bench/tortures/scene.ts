import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSlackInbox, type SlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox, type SmtpInbox } from '../../src/sandbox/inbox/smtpInbox.ts'
import { createFakeExplorer, type FakeExplorer, toOpenWire, toWire } from '../../test/support/fakeExplorer.ts'
import {
  createProject,
  endProgram,
  type Program,
  type ProjectOptions,
  startDaemon,
  startProgram,
  type Surroundings,
} from '../../test/support/realMonitor.ts'
import { openSlowDoor } from './slowDoor.ts'
import { until } from '../../test/support/startMonitor.ts'
import { type Certificates, makeCertificates } from './certificates.ts'
import { openWire, type Wire, type WireOptions } from './wire.ts'

/** What differs from a project that reads each second and sends to one Slack channel. */
export interface SceneOptions extends Omit<ProjectOptions, 'url'> {
  /** How long the channel may take for an answer; it answers at once when left out. */
  readonly slackAnswersWithinMs?: number
  /** A daily report, by mail. */
  readonly report?: { readonly cron: string; readonly timezone: string }
  /** The lines to the explorer and to Slack. */
  readonly wires?: { readonly explorer?: WireOptions; readonly slack?: WireOptions }
}

/** A bridge on loopback, on which withdrawals fail when it is asked for, the monitor's project, and its channel. */
export interface Scene {
  readonly api: FakeExplorer
  readonly inbox: SlackInbox
  /** Reports; null where none is asked for. */
  readonly mails: SmtpInbox['mails'] | null
  /** What the daemon reaches them by. */
  readonly wires: { readonly explorer: Wire; readonly slack: Wire }
  /** Where the wires speak TLS; they show the good one. */
  readonly certificates: Certificates | null
  readonly configPath: string
  /** The state folder: what is mounted on it has to be left before `close`. */
  readonly state: string
  /** A withdrawal that fails just now, or then by a clock that is ahead by so much; its zone hash, by which messages name it. */
  addFailure(aheadMs?: number): string
  /** One failure each `everyMs` until `until`; their hashes. */
  addFailures(count: number, everyMs: number): Promise<string[]>
  /** Of these failures, those that no message named. */
  untold(failures: readonly string[]): string[]
  /** The messages that name this failure. */
  naming(failure: string): readonly { readonly text: string }[]
  /** Waits until a message holds these words; gives after how many ms. */
  toldOf(words: string, withinMs: number): Promise<number>
  /** What was said of the bridge and is not so, and what was said again without a word of that. */
  listFalse(): string[]
  /** Waits until each of them was told; throws naming those that were not. */
  allTold(failures: readonly string[], withinMs?: number): Promise<void>
  /** The daemon, once it says that it is watching. */
  start(surroundings?: Surroundings): Promise<Program & { readonly page: string }>
  /** The daemon, whether or not it comes to watching, with these options of `run`. */
  startAnyway(surroundings?: Surroundings, ...options: string[]): Program
  close(): Promise<void>
}

/** Opens the API, the inbox and the project's folder. What it started ends with `close`. */
export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { wires: wireOptions, slackAnswersWithinMs = 0, report, ...others } = options
  const api = await createFakeExplorer()
  api.records = Array.from({ length: 50 }, (_, n) =>
    toWire({ value: `1.${n + 10}`, valueRaw: `1${n + 10}0000` }),
  )
  const inbox = await createSlackInbox({ keep: 100_000 })
  const mailbox = report ? await createSmtpInbox() : null
  const door = await openSlowDoor(inbox.url, slackAnswersWithinMs)
  const doorUrl = new URL(door.url)
  const certificates = wireOptions?.explorer?.tls ? makeCertificates() : null
  const wires = {
    explorer: await openWire(Number(new URL(api.url).port), wireOptions?.explorer),
    slack: await openWire(Number(doorUrl.port), wireOptions?.slack),
  }
  for (const wire of Object.values(wires)) wire.show(certificates?.good ?? null)
  const project = createProject({
    url: wires.explorer.origin,
    channels: { ops: { type: 'slack', url: `${wires.slack.origin}${doorUrl.pathname}` } },
    ...(mailbox && report && withReport(mailbox.url, `${wires.slack.origin}${doorUrl.pathname}`, report)),
    ...others,
  })
  const inSurroundings = ({ env, ...under }: Surroundings = {}): Surroundings => ({
    ...under,
    env: { ...(certificates && { NODE_EXTRA_CA_CERTS: certificates.trusted }), ...env },
  })
  const running: Program[] = []
  const naming = indexByHash(inbox.messages)
  const untold = (failures: readonly string[]) => failures.filter((failure) => naming(failure).length === 0)
  const failed: string[] = []
  const addFailure = (aheadMs = 0) => {
    const record = toOpenWire({ status: '0x0', zoneBlockTime: String(Date.now() + aheadMs - 60_000) })
    const hash = record['zoneTxHash'] ?? '?'
    failed.push(hash)
    api.records.unshift(record)
    return hash
  }
  return {
    api,
    inbox,
    mails: mailbox?.mails ?? null,
    wires,
    certificates,
    configPath: project.configPath,
    state: join(project.folder, 'state'),
    addFailure,
    async addFailures(count, everyMs) {
      const failures: string[] = []
      while (failures.length < count) {
        failures.push(addFailure())
        await sleep(everyMs)
      }
      return failures
    },
    untold,
    naming,
    async toldOf(words, withinMs) {
      const isTold = () => inbox.messages.some(({ text }) => text.includes(words))
      return until(isTold, withinMs).catch(() => {
        throw new Error(`nobody was told within ${withinMs / 1_000} s that ${words}`)
      })
    },
    listFalse: () => [
      ...inbox.messages.flatMap(({ text }) => listInvented(text, failed)),
      ...failed.flatMap((hash) =>
        naming(hash)
          .slice(1)
          .filter(({ text }) => !/ attempt \d/.test(text) && !isDoubted(text, hash))
          .map(({ text }) => `${hash} was told again unmarked: ${text.slice(0, 200)}`),
      ),
    ],
    async allTold(failures, withinMs = 60_000) {
      await until(() => untold(failures).length === 0, withinMs).catch(() => {
        const silent = untold(failures)
        throw new Error(
          `${silent.length} of ${failures.length} failures not told within ${withinMs / 1_000} s`,
        )
      })
    },
    async start(surroundings) {
      const daemon = await startDaemon(project, inSurroundings(surroundings))
      running.push(daemon)
      return daemon
    },
    startAnyway(surroundings, ...options) {
      const args = ['run', '-c', project.configPath, ...options]
      const program = startProgram(args, inSurroundings(surroundings))
      running.push(program)
      return program
    },
    async close() {
      await Promise.all(running.map(endProgram))
      await wires.explorer.close()
      await wires.slack.close()
      await door.close()
      await inbox.close()
      await mailbox?.close()
      await api.close()
      certificates?.remove()
      project.remove()
    },
  }
}

/** The messages that name a hash, each read once: a long run has thousands of both. */
function indexByHash(
  messages: SlackInbox['messages'],
): (hash: string) => readonly { readonly text: string }[] {
  const index = new Map<string, { readonly text: string }[]>()
  let read = 0
  return (hash) => {
    for (const message of messages.slice(read)) {
      for (const named of new Set(message.text.match(zoneHash))) {
        const found = index.get(named)
        if (found) found.push(message)
        else index.set(named, [message])
      }
    }
    read = messages.length
    return index.get(hash) ?? []
  }
}

/** A zone hash as test/support/fakeExplorer.ts makes it. */
const zoneHash = /0x7a6f6e652d[0-9a-f]{54}/g

/** Reports go to a mailbox, and all else to Slack, as it does without. */
function withReport(mailUrl: string, slackUrl: string, report: SceneOptions['report']) {
  return {
    channels: {
      ops: { type: 'slack', url: slackUrl },
      mail: { type: 'email', smtp: mailUrl, from: 'bridge@example.com', to: ['ops@example.com'] },
    },
    routes: [{ channels: ['ops'], groupBy: ['rule'], groupWait: '0s', groupInterval: '1s' }],
    more: { reports: { daily: { ...report, channel: 'mail' } } },
  }
}

/** Kinds of our own troubles and of those of the sources: here the bridge itself only ever fails withdrawals. */
const ownKinds = /^(monitor|source)\./

function listInvented(text: string, failed: readonly string[]): string[] {
  const kinds = [...text.matchAll(/, rule \S+ \(([a-z_.]+)\)/g)].map(([, kind = '']) => kind)
  const named = text.match(zoneHash) ?? []
  return [
    ...kinds
      .filter((kind) => kind !== 'transfer.failed' && !ownKinds.test(kind))
      .map((kind) => `${kind} was told, which is not so: ${text.slice(0, 200)}`),
    ...named.filter((hash) => !failed.includes(hash)).map((hash) => `${hash} was told and is fine`),
  ]
}

/** Whether a message says of this failure that it may have been sent before. */
export function isDoubted(text: string, hash: string): boolean {
  const at = text.indexOf(hash)
  return text.slice(text.lastIndexOf('CRITICAL: ', at), at).includes('may have been sent before')
}
