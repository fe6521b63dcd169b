import { expect, test } from 'vitest'
import { createServiceNotifier } from '../../../src/daemon/serviceNotifier.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

function setUp(env: Record<string, string>, send?: (state: string) => Promise<void>) {
  const sent: string[] = []
  const warned: string[] = []
  const clock = createSteppedClock({ isManual: true })
  const live = { isAlive: true }
  const notifier = createServiceNotifier({
    clock,
    env,
    log: { warn: (text: unknown) => void warned.push(String(text)) },
    send: send ?? (async (state) => void sent.push(state)),
    isAlive: () => live.isAlive,
  })
  return { notifier, clock, sent, warned, live }
}

const socket = { NOTIFY_SOCKET: '/run/notify' }

test('READY=1, then WATCHDOG=1 twice in each WATCHDOG_USEC, then STOPPING=1', async () => {
  const { notifier, clock, sent } = setUp({ ...socket, WATCHDOG_USEC: '60000000' })
  notifier.ready()
  await clock.advance(29_999)
  expect(sent).toEqual(['READY=1', 'WATCHDOG=1'])
  await clock.advance(1)
  expect(sent).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1'])
  notifier.stopping()
  await notifier.stop()
  expect(sent.at(-1)).toBe('STOPPING=1')
})

test('F83: no WATCHDOG=1 while the monitor does not work, and again once it does', async () => {
  const { notifier, clock, sent, live } = setUp({ ...socket, WATCHDOG_USEC: '2000000' })
  live.isAlive = false
  notifier.ready()
  await clock.advance(5_000)
  expect(sent).toEqual(['READY=1'])
  live.isAlive = true
  await clock.advance(1_000)
  expect(sent).toEqual(['READY=1', 'WATCHDOG=1'])
  await notifier.stop()
})

test('without a watchdog only the start and the stop are said', async () => {
  const { notifier, clock, sent } = setUp(socket)
  notifier.ready()
  await clock.advance(100_000)
  notifier.stopping()
  await notifier.stop()
  expect(sent).toEqual(['READY=1', 'STOPPING=1'])
})

test('without a service manager nothing is sent', async () => {
  const { notifier, clock, sent } = setUp({ WATCHDOG_USEC: '2000000' })
  notifier.ready()
  await clock.advance(5_000)
  notifier.stopping()
  await notifier.stop()
  expect(sent).toEqual([])
})

test('a service manager that cannot be told is a warning, once, and no failure', async () => {
  const refuse = () => Promise.reject(new Error('systemd-notify: not found'))
  const { notifier, clock, warned } = setUp({ ...socket, WATCHDOG_USEC: '2000000' }, refuse)
  notifier.ready()
  await clock.advance(5_000)
  await notifier.stop()
  expect(warned).toEqual(['the service manager cannot be notified of READY=1: systemd-notify: not found'])
})
