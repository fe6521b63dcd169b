import type { TestContext } from 'vitest'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createFakeExplorer, toOpenWire, type WireRecord } from './fakeExplorer.ts'
import { createProject, endProgram, type Program, type ProjectOptions, startDaemon } from './realMonitor.ts'

interface OwnDaemon {
  readonly records: WireRecord[]
  /** Where its messages go; left out, into the inbox. */
  readonly slackUrl?: string | undefined
  readonly project?: Omit<ProjectOptions, 'url' | 'channels'>
}

/** An API, an inbox and a project of its own for one test; what it starts ends with it. */
export async function createOwnDaemon(
  context: Pick<TestContext, 'onTestFinished'>,
  { records, slackUrl, project: options }: OwnDaemon,
) {
  const api = await createFakeExplorer()
  api.records = records
  const inbox = await createSlackInbox()
  const channels = { ops: { type: 'slack', url: slackUrl ?? inbox.url } }
  const project = createProject({ url: api.url, channels, ...options })
  const running: Program[] = []
  context.onTestFinished(async () => {
    await Promise.all(running.map(endProgram))
    await inbox.close()
    await api.close()
    project.remove()
  })
  return {
    api,
    inbox,
    project,
    running,
    start: async (...options: string[]) => {
      const daemon = await startDaemon(project, {}, options)
      running.push(daemon)
      return daemon
    },
    addFailure: () => {
      const failed = toOpenWire({ status: '0x0' })
      api.records.unshift(failed)
      return failed['zoneTxHash'] ?? '?'
    },
    naming: (hash: string) => inbox.messages.filter(({ text }) => text.includes(hash)),
  }
}
