import { type DateZone, findRegion } from './date-zone.ts';

/**
 * The instant that a zone name selects when clocks go back in autumn and an hour occurs twice: the earlier one for
 * `EDT`, the later one for `EST` and `ET`. The rules of the zone always define the offset.
 */
export interface NamedZone {
  readonly zone: DateZone;
  readonly later: boolean;
  /** The end of the name in the text. */
  readonly end: number;
}

// English abbreviations as in Java 25: the standard, daylight and general names of a zone. Two names differ from Java,
// which uses BST and IST for zones at Greenwich time.
const SHORT_NAMES = `
Africa/Johannesburg SAST
Africa/Lagos WAT
Africa/Maputo CAT
Africa/Nairobi EAT
America/Chicago CST,CT CDT
America/Denver MST,MT MDT
America/Halifax AST,AT ADT
America/Juneau AKST,AKT AKDT
America/Los_Angeles PST,PT PDT
America/New_York EST,ET EDT
America/St_Johns NST,NT NDT
Asia/Hong_Kong HKT HKST
Asia/Jakarta WIB
Asia/Jayapura WIT
Asia/Jerusalem IT IDT
Asia/Karachi PKT PKST
Asia/Kolkata IST
Asia/Makassar WITA
Asia/Seoul KST
Asia/Tokyo JST,JT JDT
Australia/Adelaide ACST,ACT ACDT
Australia/Perth AWST,AWT AWDT
Australia/Sydney AEST,AET AEDT
Europe/Bucharest - EEST
Europe/Lisbon - WEST
Europe/London - BST
Europe/Moscow MSK
Europe/Paris - CEST
Pacific/Auckland NZST,NZT NZDT
Pacific/Guam ChST
Pacific/Honolulu HST,HAST,HAT HDT,HADT
Pacific/Pago_Pago SST
`;

// English zone names without their ending ("Standard Time", "Daylight Time", "Summer Time", "Time"). A zone that is
// not in this list is named after its city: "Chatham Standard Time".
const LONG_NAMES = `
Africa/Johannesburg=South Africa
Africa/Lagos=West Africa;São Tomé
Africa/Maputo=Central Africa
Africa/Nairobi=East Africa
America/Argentina/Buenos_Aires=Argentina
America/Asuncion=Paraguay
America/Bogota=Colombia
America/Caracas=Venezuela
America/Cayenne=French Guiana
America/Chicago=Central
America/Denver=Mountain
America/Guayaquil=Ecuador
America/Halifax=Atlantic
America/Havana=Cuba
America/Juneau=Alaska
America/La_Paz=Bolivia
America/Lima=Peru
America/Los_Angeles=Pacific
America/Manaus=Amazon
America/Mazatlan=Mexican Pacific
America/Miquelon=St. Pierre & Miquelon
America/Montevideo=Uruguay
America/New_York=Eastern
America/Noronha=Fernando de Noronha
America/Nuuk=Greenland
America/Paramaribo=Suriname
America/Rio_Branco=Acre
America/Santiago=Chile
America/Sao_Paulo=Brasilia
America/St_Johns=Newfoundland
America/Whitehorse=Yukon
Asia/Almaty=Kazakhstan;Kostanay
Asia/Ashgabat=Turkmenistan
Asia/Baku=Azerbaijan
Asia/Bangkok=Indochina;Christmas Island;Ho Chi Minh City
Asia/Bishkek=Kyrgyzstan
Asia/Dhaka=Bangladesh
Asia/Dili=Timor-Leste
Asia/Dubai=Gulf;Réunion;Seychelles
Asia/Dushanbe=Tajikistan
Asia/Hong_Kong=Hong Kong
Asia/Hovd=Hovd
Asia/Irkutsk=Irkutsk
Asia/Jakarta=Western Indonesia
Asia/Jayapura=Eastern Indonesia
Asia/Jerusalem=Israel
Asia/Kabul=Afghanistan
Asia/Kamchatka=Kamchatka
Asia/Karachi=Pakistan
Asia/Kathmandu=Nepal
Asia/Kolkata=India
Asia/Krasnoyarsk=Krasnoyarsk
Asia/Kuching=Malaysia
Asia/Magadan=Magadan
Asia/Makassar=Central Indonesia
Asia/Manila=Philippine
Asia/Novosibirsk=Novosibirsk
Asia/Omsk=Omsk
Asia/Riyadh=Arabian
Asia/Sakhalin=Sakhalin
Asia/Seoul=Korean
Asia/Shanghai=China
Asia/Singapore=Singapore
Asia/Taipei=Taiwan
Asia/Tashkent=Uzbekistan
Asia/Tbilisi=Georgia
Asia/Tehran=Iran
Asia/Thimphu=Bhutan
Asia/Tokyo=Japan
Asia/Ulaanbaatar=Ulaanbaatar
Asia/Vladivostok=Vladivostok
Asia/Yakutsk=Yakutsk
Asia/Yangon=Myanmar;Cocos Islands
Asia/Yekaterinburg=Yekaterinburg
Asia/Yerevan=Armenia
Atlantic/Azores=Azores
Atlantic/Canary=Western European
Atlantic/Cape_Verde=Cape Verde
Atlantic/South_Georgia=South Georgia
Atlantic/Stanley=Falkland Islands
Australia/Adelaide=Australian Central
Australia/Eucla=Australian Central Western
Australia/Perth=Australian Western
Australia/Sydney=Australian Eastern
Etc/UTC=Coordinated Universal
Europe/Bucharest=Eastern European
Europe/Dublin=Irish
Europe/London=British
Europe/Moscow=Moscow
Europe/Paris=Central European
Europe/Samara=Samara
Europe/Volgograd=Volgograd
GMT=Greenwich Mean
Indian/Chagos=Indian Ocean
Indian/Maldives=Maldives;French Southern & Antarctic
Indian/Mauritius=Mauritius
Pacific/Apia=Samoa
Pacific/Auckland=New Zealand
Pacific/Easter=Easter Island
Pacific/Efate=Vanuatu
Pacific/Fakaofo=Tokelau
Pacific/Fiji=Fiji
Pacific/Galapagos=Galapagos
Pacific/Gambier=Gambier
Pacific/Guadalcanal=Solomon Islands;Pohnpei
Pacific/Guam=Chamorro;Guam
Pacific/Honolulu=Hawaii-Aleutian
Pacific/Kanton=Phoenix Islands
Pacific/Kiritimati=Line Islands
Pacific/Kosrae=Kosrae
Pacific/Marquesas=Marquesas
Pacific/Nauru=Nauru
Pacific/Niue=Niue
Pacific/Norfolk=Norfolk Island
Pacific/Noumea=New Caledonia
Pacific/Pago_Pago=American Samoa
Pacific/Palau=Palau
Pacific/Pitcairn=Pitcairn
Pacific/Port_Moresby=Papua New Guinea;Chuuk;Dumont d’Urville;Dumont-d’Urville
Pacific/Rarotonga=Cook Islands
Pacific/Tahiti=Tahiti
Pacific/Tarawa=Gilbert Islands;Marshall Islands;Tuvalu;Wake Island
Pacific/Tongatapu=Tonga
`;

interface Name {
  readonly region: string;
  readonly later: boolean;
}

let shortNames: ReadonlyMap<string, Name> | undefined;
let longNames: ReadonlyMap<string, string> | undefined;

/** Returns the longest English zone abbreviation (`EST`) at `position` in `text`. */
export function matchShortZoneName(text: string, position: number): NamedZone | undefined {
  shortNames ??= readShortNames();
  for (let length = Math.min(LONGEST_SHORT_NAME, text.length - position); length >= 2; length--) {
    const name = shortNames.get(text.slice(position, position + length));
    if (name !== undefined) return named(name.region, name.later, position + length);
  }
  return undefined;
}

/** Returns the English zone name (`Pacific Standard Time`) that begins `text` at `position`. */
export function matchLongZoneName(text: string, position: number): NamedZone | undefined {
  longNames ??= readLongNames();
  const candidate = text.slice(position, position + LONGEST_LONG_NAME);
  const at = candidate.indexOf(' Time');
  if (at < 0) return undefined;
  const match = /^(.*?)(?: (Standard|Daylight|Summer))?$/.exec(candidate.slice(0, at));
  const region = match?.[1] === undefined ? undefined : longNames.get(match[1]);
  if (region === undefined) return undefined;
  // "Irish Standard Time" means summer time in Ireland.
  const summer = match?.[2] === 'Daylight' || match?.[2] === 'Summer' || match?.[1] === 'Irish';
  return named(region, !summer, position + at + ' Time'.length);
}

const LONGEST_SHORT_NAME = 4;
const LONGEST_LONG_NAME = 50;

function named(region: string, later: boolean, end: number): NamedZone | undefined {
  const zone = findRegion(region);
  return zone === undefined ? undefined : { zone, later, end };
}

function readShortNames(): Map<string, Name> {
  const names = new Map<string, Name>();
  for (const line of SHORT_NAMES.trim().split('\n')) {
    const [region = '', standard = '', daylight = ''] = line.split(' ');
    for (const name of standard.split(',')) names.set(name, { region, later: true });
    for (const name of daylight.split(',')) names.set(name, { region, later: false });
  }
  return names;
}

function readLongNames(): Map<string, string> {
  const names = new Map<string, string>();
  for (const region of Intl.supportedValuesOf('timeZone')) {
    names.set(region.slice(region.lastIndexOf('/') + 1).replaceAll('_', ' '), region);
  }
  for (const line of LONG_NAMES.trim().split('\n')) {
    const [region = '', stems = ''] = line.split('=');
    for (const stem of stems.split(';')) names.set(stem, region);
  }
  return names;
}
