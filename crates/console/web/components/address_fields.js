// The fields of a postal address with its contact, for forms.
import { country } from "../app/format.js";

const CODES = "AD AE AF AG AL AM AR AT AU AZ BA BB BD BE BG BH BO BR BY CA CH CL CN CO CR CY CZ DE DK DO DZ EC EE EG ES FI FR GB GE GG GH GI GR GT HK HN HR HU ID IE IL IM IN IS IT JE JO JP KE KR KW KZ LB LI LK LT LU LV MA MC MD ME MK MT MX MY NG NL NO NZ OM PA PE PH PK PL PT PY QA RO RS RU SA SE SG SI SK SM TH TN TR TW UA UG US UY UZ VA VE VN ZA".split(" ");

/** @type {[string, string][]} */
export const COUNTRIES = [["", "Choose"], .../** @type {[string, string][]} */ (CODES.map((code) => [code, country(code)])).sort((one, other) => one[1].localeCompare(other[1]))];

/**
 * @param {string} prefix Where the record is in the resource, such as `destination.`.
 * @returns {import("./edit_dialog.js").FormField[]}
 */
export const addressFields = (prefix) => [
  { name: `${prefix}contact.name`, label: "Name" },
  { name: `${prefix}contact.company`, label: "Company" },
  { name: `${prefix}address.line_1`, label: "Address", required: true, whole: true },
  { name: `${prefix}address.line_2`, label: "Second line", need: "optional", whole: true },
  { name: `${prefix}address.post_code`, label: "Post code" },
  { name: `${prefix}address.city`, label: "City", required: true },
  { name: `${prefix}address.province`, label: "Province or state", need: "optional" },
  { name: `${prefix}address.country_code`, label: "Country", type: "select", options: COUNTRIES, required: true },
  { name: `${prefix}contact.phone_number`, label: "Telephone", need: "with +44 in front", type: "tel" },
  { name: `${prefix}contact.email_address`, label: "E-mail", type: "email" },
];
