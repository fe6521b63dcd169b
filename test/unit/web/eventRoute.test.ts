import { expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { type FakeWeb, createFakeWeb } from './support/fakeWeb.ts'

const follow = async (web: FakeWeb) =>
  createWebApp(web.deps, { listenHost: '127.0.0.1', token: null }).request('http://127.0.0.1/events')

function readEvents(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  return {
    next: async () => /event: (\w+)/.exec((await reader.read()).value ?? '')?.[1],
    end: () => reader.cancel(),
  }
}

test('a page hears a beat at once, a change when one happens, a beat when none does', async () => {
  const web = createFakeWeb()
  const response = await follow(web)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = readEvents(response)
  expect(await events.next()).toBe('beat')
  web.change()
  expect(await events.next()).toBe('change')
  expect(await events.next()).toBe('beat')
  await events.end()
})

test('many changes close together are one event', async () => {
  const web = createFakeWeb()
  const events = readEvents(await follow(web))
  await events.next()
  for (let i = 0; i < 50; i++) web.change()
  expect([await events.next(), await events.next()]).toEqual(['change', 'beat'])
  await events.end()
})

test('a page that leaves is forgotten', async () => {
  const web = createFakeWeb()
  const events = readEvents(await follow(web))
  await events.next()
  expect(web.listeners.size).toBe(1)
  await events.end()
  await expect.poll(() => web.listeners.size).toBe(0)
})

test('the 65th page is refused, and has room once another leaves', async () => {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  const get = async () => app.request('http://127.0.0.1/events')
  const open = await Promise.all(Array.from({ length: 64 }, get))
  expect((await get()).status).toBe(503)
  await Promise.all(open.map(async ({ body }) => body?.cancel()))
  await expect.poll(() => web.listeners.size).toBe(0)
  const again = await get()
  expect(again.status).toBe(200)
  await again.body?.cancel()
})

test('a HEAD request opens no stream', async () => {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  expect((await app.request('http://127.0.0.1/events', { method: 'HEAD' })).status).toBe(200)
  expect(web.listeners.size).toBe(0)
})
