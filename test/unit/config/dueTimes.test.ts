import { describe, expect, test } from 'vitest'
import { smallest, warningsOf } from './loadInMemory.ts'

const warnedOf = (text: string) => warningsOf(`${smallest}${text}\n`)

describe('a report whose cron comes due more often than it is sent', () => {
  test.each([
    ['daily', '* * * * *', 'day'],
    ['daily', '0 8,20 * * *', 'day'],
    ['weekly', '0 8 * * *', 'week'],
    ['weekly', '0 8 * * 1,5', 'week'],
    ['monthly', '0 8 * * 1', 'month'],
  ])('%s "%s"', (name, cron, period) => {
    const text = `reports: { ${name}: { cron: "${cron}", timezone: Europe/Berlin, channel: console } }`
    expect(warnedOf(text).map((warning) => warning.replace(/^2:\d+ /, ''))).toEqual([
      `\`reports.${name}.cron\` comes due more than once a ${period}: the report of a ${period} is sent once, at the first of these times after its end`,
    ])
  })

  test.each([
    ['daily', '0 8 * * *'],
    ['daily', '59 23 * * *'],
    ['daily', '0 8 * * 1-5'],
    ['weekly', '0 8 * * 7'],
    ['weekly', '0 8 1 * *'],
    ['monthly', '0 0 1 * *'],
    ['monthly', '30 8 31 * *'],
  ])('%s "%s" does not', (name, cron) => {
    const text = `reports: { ${name}: { cron: "${cron}", timezone: America/New_York, channel: console } }`
    expect(warnedOf(text)).toEqual([])
  })
})

test.each([
  ['* * * * *', '1m'],
  ['*/10 * * * * *', '10s'],
  ['0,59 9 * * *', '59m'],
])('a canary "%s" sends more than one message an hour', (cron, every) => {
  expect(warnedOf(`canary: { cron: "${cron}" }`)).toEqual([
    `2:17 \`canary.cron\` comes due every ${every}: each time a test message goes to each channel`,
  ])
})

test.each(['0 9 * * *', '0 * * * *'])('a canary "%s" sends at most one an hour', (cron) => {
  expect(warnedOf(`canary: { cron: "${cron}", timezone: Europe/Berlin }`)).toEqual([])
})

test.each([
  ['transfers', '*/5 * * * *', '5m', '*/5 * * * * *', '; of five fields the first is minutes'],
  ['openTransfers', '0 0 0 1 1 *', '365d', '*/10 * * * * *', ''],
  ['evidence', '*/15 * 8-18 * * *', '8h', '*/15 * * * * *', ''],
  ['audit', '0 0 3 * * 1', '7d', '0 17 * * * *', ''],
])('a poll of %s at "%s" leaves long times without a question', (name, cron, wait, shipped, fields) => {
  expect(warnedOf(`poll: { ${name}: "${cron}" }`).map((warning) => warning.replace(/^2:\d+ /, ''))).toEqual([
    `\`poll.${name}\` lets ${wait} and more go by without asking, by default it is "${shipped}": what is found by it is told that much later${fields}`,
  ])
})

test.each([
  ['transfers', '0 * * * * *'],
  ['escrows', '*/20 * * * * *'],
  ['audit', '0 0 3 * * *'],
])('a poll of %s at "%s" does not', (name, cron) => {
  expect(warnedOf(`poll: { ${name}: "${cron}" }`)).toEqual([])
})

const nights = 'nights: [ { timezone: Europe/Berlin, from: "22:00", to: "06:00" } ]'
const days = 'days: [ { timezone: Europe/Berlin, from: "06:00", to: "22:00" } ]'

test.each([
  ['always: [ {} ]', 'mute: [always]', false],
  [`${nights}, ${days}`, 'mute: [nights, days], muteCritical: true', true],
  [nights, 'mute: [nights], activeTimes: [nights], muteCritical: true', true],
  [`${nights}, always: [ {} ]`, 'activeTimes: [nights], mute: [always]', false],
])('a route that is never to send anything: %s, %s', (times, route, isCritical) => {
  const told = isCritical ? 'it never sends anything' : 'it sends nothing but what is critical'
  const text = `muteTimes: { ${times} }\nroutes: [ { channels: [console], ${route} } ]`
  expect(warnedOf(text).map((warning) => warning.replace(/^3:\d+ /, ''))).toEqual([
    `\`routes[0]\` is muted at each time of the year: ${told}`,
  ])
})

test.each([
  [nights, 'mute: [nights], muteCritical: true'],
  [nights, 'activeTimes: [nights], muteCritical: true'],
  ['most: [ { to: "23:45" } ]', 'mute: [most], muteCritical: true'],
  ['summer: [ { months: ["jun:aug"] } ]', 'mute: [summer]'],
  ['once: [ { dates: ["2026-01-01:2028-01-01"] } ]', 'mute: [once]'],
  ['once: [ { dates: [2030-01-01] } ]', 'activeTimes: [once]'],
])('a route that is to send at some times: %s, %s', (times, route) => {
  expect(warnedOf(`muteTimes: { ${times} }\nroutes: [ { channels: [console], ${route} } ]`)).toEqual([])
})
