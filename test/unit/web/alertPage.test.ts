import { expect, test } from 'vitest'
import { findAlert } from '../../../src/alerts/operations.ts'
import { renderTodo } from '../../../src/web/pages/findingParts.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { toAlertStory } from '../../../src/web/views/toAlertStory.ts'
import { createCaseWorld, theft, unbacked } from '../../support/caseWorld.ts'
import { createFakeWeb, zoneHash } from './support/fakeWeb.ts'

async function read(path: string) {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  return (await app.request(`http://127.0.0.1${path}`)).text()
}

test('an alert says what to do, where the runbook is, and its facts with units, as messages do', async () => {
  const page = await read('/alerts/a1b2c3')
  expect(page).toContain('<strong>What to do</strong></p><p>Ask the relayer why it does not pay</p>')
  expect(page).toMatch(/href="https:[^"]+"[^>]*>Runbook/)
  expect(page).toContain('<dt>Age</dt><dd>47 min, usually 4 min</dd>')
  expect(page).toContain(`href="https://zone.example.com/tx/${zoneHash}"`)
  // What the headline says is not said again, and details are one press away.
  expect(page).not.toContain('<dt>Direction</dt>')
  expect(page).toMatch(/<details><summary>1 more<\/summary><dl class="record"><div><dt>Token<\/dt>/)
})

test('a case says the same of its worst finding', async () => {
  const page = await read('/cases/c42')
  expect(page).toContain('Stop the operator, then see who signed it')
  expect(page).toContain('<dt>Amount</dt><dd>9,750,000.5 USDC</dd>')
})

test('where a rule names no runbook the chapter that comes with the program is one', async () => {
  const page = await read('/transfers/t42')
  expect(page).toMatch(/href="(https:[^"]+|\/runbooks\/[a-z._]+)"[^>]*>Runbook/)
})

test('names in what to do stand as names, without the backticks of a text', async () => {
  const remedy = 'Raise `explorer.pace`, and see `spanwatch check <file>`: an odd ` stays'
  const told = { remedy, runbook: null, kind: null, transferKey: null }
  expect((await renderTodo(told)).toString()).toContain(
    '<p>Raise <code>explorer.pace</code>, and see <code>spanwatch check &lt;file&gt;</code>: an odd ` stays</p>',
  )
})

test('the fields of an alert are those of its messages', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(1, '9750000.5'))
  const [row = expect.fail()] = world.store.listAlerts({ limit: 1 })
  const links = { main: 'https://main.example.com/tx/{hash}', zone: null }
  const story = toAlertStory(world.views(), findAlert(world.store, row.fingerprint), links)
  expect(story.remedy).toMatch(/\w/)
  expect(story.fields.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['Amount', 'Main transaction']),
  )
  expect(story.fields.find(({ label }) => label === 'Main transaction')?.href).toMatch(
    /^https:\/\/main\.example\.com\/tx\/0x/,
  )
})
