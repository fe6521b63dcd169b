import { expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { runbookLink } from '../../../src/delivery/runbookLink.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb } from './support/fakeWeb.ts'

const app = createWebApp(createFakeWeb().deps, { listenHost: '127.0.0.1', token: null })
const get = (path: string) => app.request(`http://127.0.0.1${path}`)

test.each(kinds.names)('%s has a runbook where its messages point', async (kind) => {
  const link = runbookLink(kind, 'http://127.0.0.1/')
  const response = await get(new URL(link ?? '').pathname)
  expect(response.status).toBe(200)
  const page = await response.text()
  expect(page).toContain(`<code>${kind}</code>`)
  expect(page).toContain('<strong>What to do:</strong>')
  expect(page).toContain('<ol><li>')
})

test('what is no kind has none, whatever it is called', async () => {
  for (const name of ['none', '__proto__', '..%2f..%2fpackage.json', '%3Cscript%3E'])
    expect((await get(`/runbooks/${name}`)).status).toBe(404)
})
