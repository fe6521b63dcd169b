import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSlackInbox, type SlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
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
import { until } from '../../test/support/startMonitor.ts'

/** What differs from a project that reads each second and sends to one Slack channel. */
export type SceneOptions = Omit<ProjectOptions, 'url'>

/** A bridge on loopback, on which withdrawals fail when it is asked for, the monitor's project, and its channel. */
export interface Scene {
  readonly api: FakeExplorer
  readonly inbox: SlackInbox
  readonly configPath: string
  /** The state folder: what is mounted on it has to be left before `close`. */
  readonly state: string
  /** A withdrawal that fails just now; its zone hash, by which messages name it. */
  addFailure(): string
  /** One failure each `everyMs` until `until`; their hashes. */
  addFailures(count: number, everyMs: number): Promise<string[]>
  /** Of these failures, those that no message named. */
  untold(failures: readonly string[]): string[]
  /** The messages that name this failure. */
  naming(failure: string): readonly { readonly text: string }[]
  /** Waits until each of them was told; throws naming those that were not. */
  allTold(failures: readonly string[], withinMs?: number): Promise<void>
  /** The daemon, once it says that it is watching. */
  start(surroundings?: Surroundings): Promise<Program & { readonly page: string }>
  /** The daemon, whether or not it comes to watching. */
  startAnyway(surroundings?: Surroundings): Program
  close(): Promise<void>
}

/** Opens the API, the inbox and the project's folder. What it started ends with `close`. */
export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const api = await createFakeExplorer()
  api.records = Array.from({ length: 50 }, () => toWire())
  const inbox = await createSlackInbox({ keep: 100_000 })
  const project = createProject({
    url: api.url,
    channels: { ops: { type: 'slack', url: inbox.url } },
    ...options,
  })
  const running: Program[] = []
  const naming = (failure: string) => inbox.messages.filter(({ text }) => text.includes(failure))
  const untold = (failures: readonly string[]) => failures.filter((failure) => naming(failure).length === 0)
  const addFailure = () => {
    const failed = toOpenWire({ status: '0x0' })
    api.records.unshift(failed)
    return failed['zoneTxHash'] ?? '?'
  }
  return {
    api,
    inbox,
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
    async allTold(failures, withinMs = 60_000) {
      await until(() => untold(failures).length === 0, withinMs).catch(() => {
        const silent = untold(failures)
        throw new Error(
          `${silent.length} of ${failures.length} failures not told within ${withinMs / 1_000} s`,
        )
      })
    },
    async start(surroundings) {
      const daemon = await startDaemon(project, surroundings)
      running.push(daemon)
      return daemon
    },
    startAnyway(surroundings) {
      const program = startProgram(['run', '-c', project.configPath], surroundings)
      running.push(program)
      return program
    },
    async close() {
      await Promise.all(running.map(endProgram))
      await inbox.close()
      await api.close()
      project.remove()
    },
  }
}
