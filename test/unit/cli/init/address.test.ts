import { expect, test } from 'vitest'
import { readAddress } from '../../../../src/cli/init/address.ts'

const base = 'https://explorer.example.com'
const none = { main: null, zone: null }
const both = { main: 'acme', zone: 'az' }

test.each([
  [base, { baseUrl: base, path: none }],
  [` ${base}/ `, { baseUrl: base, path: none }],
  [`${base}/api/v5`, { baseUrl: base, path: none }],
  [`${base}/api/v5/`, { baseUrl: base, path: none }],
  [`${base}/gate/api/v5/acme`, { baseUrl: `${base}/gate`, path: { main: 'acme', zone: null } }],
  [`${base}/api/v5/acme/az`, { baseUrl: base, path: both }],
  [`${base}/api/v5/acme/block/block-fills?height=1`, { baseUrl: base, path: { main: 'acme', zone: null } }],
  [`${base}/api/v5/acme/az/block/block-list?chainShortName=AZ`, { baseUrl: base, path: both }],
  [`${base}/docs/`, { baseUrl: `${base}/docs`, path: none }],
])('%s is read', (text, wanted) => {
  expect(readAddress(text)).toEqual(wanted)
})

test.each(['', 'explorer.example.com', 'ftp://x.example', 'https://', 'https://me:word@x.example'])(
  '%j is refused',
  (text) => {
    expect(() => readAddress(text)).toThrow(/expected an (http|address)/)
  },
)
