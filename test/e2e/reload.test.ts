import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createAlertStore } from '../../src/alerts/store/alertStore.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createFakeExplorer, toOpenWire } from '../support/fakeExplorer.ts'
import { createProject, type Project } from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'
import { runCommand } from '../unit/cli/testIo.ts'

const stalled = (more = '') =>
  `  - { name: stalled, on: transfer.stalled, with: { after: 1s }, severity: critical, summary: "waits for long"${more} }\n`
const waiting =
  '  - { name: waiting, on: transfer.stalled, with: { after: 1s }, for: 1h, summary: "waiting" }\n'
const rejected =
  '  - { name: rejected, on: monitor.rules_rejected, severity: critical, summary: "rejected: {{ facts.first }}" }\n'
const another =
  '  - { name: another, on: transfer.stalled, with: { after: 1s }, severity: critical, summary: "one more" }\n'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function setUp(context: TestContext) {
  const api = await createFakeExplorer()
  api.records = [toOpenWire()]
  const inbox = await createSlackInbox()
  const project = createProject({
    url: api.url,
    rules: `rules:\n${stalled()}${waiting}${rejected}`,
    channels: { ops: { type: 'slack', url: inbox.url } },
  })
  const ending = new AbortController()
  let hangUp = () => {}
  const onReload = (listener: () => void) => {
    hangUp = listener
    return () => undefined
  }
  const running = runCommand(['run', '-c', project.configPath, '--log-level', 'error'], {
    stop: ending.signal,
    onReload,
  })
  context.onTestFinished(async () => {
    ending.abort()
    await running
    await inbox.close()
    await api.close()
    project.remove()
  })
  const told = (text: string) => inbox.messages.filter((one) => one.text.includes(text))
  const edit = (text: string) => writeFileSync(join(project.folder, 'rules', 'rules.yaml'), `rules:\n${text}`)
  return { project, hangUp: () => hangUp(), told, edit }
}

/** When each alert of a rule began, and how it stands. */
function readAlerts({ folder }: Project, rule: string) {
  const db = openDatabase(join(folder, 'state', 'ledger.sqlite'), { readOnly: true })
  try {
    const all = createAlertStore(db).listAlerts({ limit: 100 })
    return all
      .filter((one) => one.rule === rule)
      .map(({ state, activeAt, episode }) => ({ state, activeAt, episode }))
  } finally {
    db.close()
  }
}

test('invariant 13: SIGHUP and a change of another rule reset no `for` and send nothing again', async (context) => {
  const { project, hangUp, told, edit } = await setUp(context)
  await until(() => told('waits for long').length === 1 && readAlerts(project, 'waiting').length === 1)
  const before = readAlerts(project, 'waiting')
  expect(before).toMatchObject([{ state: 'pending' }])
  hangUp()
  await pause(1_000)
  edit(`${stalled()}${waiting}${rejected}${another}`)
  // The change is in force once the rule that it adds speaks.
  await until(() => told('one more').length === 1)
  await pause(1_500)
  expect(readAlerts(project, 'waiting')).toEqual(before)
  expect(told('waits for long')).toHaveLength(1)
}, 240_000)

test('a broken edit keeps the old rules in force and is told; the mended one ends that', async (context) => {
  const { project, told, edit } = await setUp(context)
  await until(() => told('waits for long').length === 1)
  edit(`${stalled(', serverity: info')}${waiting}${rejected}`)
  await until(() => told('unknown key').length === 1)
  expect(told('did you mean')).toHaveLength(1)
  expect(readAlerts(project, 'stalled')).toMatchObject([{ state: 'firing', episode: 1 }])
  edit(`${stalled()}${waiting}${rejected}`)
  await until(() => readAlerts(project, 'rejected').every(({ state }) => state === 'resolved'))
  await until(() => told('Resolved').length + told('resolved').length > 0)
  expect(readAlerts(project, 'stalled')).toMatchObject([{ state: 'firing', episode: 1 }])
}, 240_000)

test('F59: a rule that is removed ends its alert for those who were told, with that as the reason', async (context) => {
  const { project, told, edit } = await setUp(context)
  await until(() => told('waits for long').length === 1)
  edit(`${waiting}${rejected}`)
  await until(() => readAlerts(project, 'stalled').every(({ state }) => state === 'resolved'))
  await until(() => told('rule removed').length === 1)
}, 240_000)

test('F59: a rule that is renamed ends the old alert and begins one under the new name', async (context) => {
  const { project, told, edit } = await setUp(context)
  await until(() => told('waits for long').length === 1)
  edit(`${stalled().replace('name: stalled', 'name: renamed')}${waiting}${rejected}`)
  await until(() => readAlerts(project, 'renamed').length === 1)
  expect(readAlerts(project, 'stalled')).toMatchObject([{ state: 'resolved' }])
  expect(readAlerts(project, 'renamed')).toMatchObject([{ state: 'firing', episode: 1 }])
}, 240_000)

test('F59: a `for` raised above the age of a firing alert makes it pending again, and says nothing', async (context) => {
  const { project, told, edit } = await setUp(context)
  await until(() => told('waits for long').length === 1)
  const [before] = readAlerts(project, 'stalled')
  edit(`${stalled(', for: 1h')}${waiting}${rejected}`)
  await until(() => readAlerts(project, 'stalled').every(({ state }) => state === 'pending'))
  await pause(2_500)
  expect(readAlerts(project, 'stalled')).toMatchObject([{ activeAt: before?.activeAt }])
  expect(told('waits for long')).toHaveLength(1)
}, 240_000)

test('a folder of rules that is gone keeps the old ones in force', async (context) => {
  const { project, hangUp, told } = await setUp(context)
  await until(() => told('waits for long').length === 1)
  rmSync(join(project.folder, 'rules'), { recursive: true })
  hangUp()
  await until(() => told('rejected').length === 1)
  expect(readAlerts(project, 'stalled')).toMatchObject([{ state: 'firing', episode: 1 }])
}, 240_000)
