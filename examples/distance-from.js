import { Stage, Type } from 'headrace';

const EARTH_RADIUS_KM = 6371;

const parameters = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude of the given place, in degrees.' }),
  longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Longitude of the given place, in degrees.' }),
  dest: Type.String({ description: 'The field for the distance.' }),
  farthest: Type.Optional(
    Type.Number({ minimum: 0, description: 'Documents that are farther away, in kilometres, are dropped.' }),
  ),
});

export class DistanceFrom extends Stage {
  static description =
    "Writes how far a document's place is from a given one, along the surface of the earth, in whole kilometres. " +
    'The place is in the fields latitude and longitude. A document without them does not change.';
  static parameters = parameters;

  process(document) {
    const { dest, farthest = Number.POSITIVE_INFINITY } = this.params;
    const latitude = document.text('latitude');
    const longitude = document.text('longitude');
    if (latitude === undefined || longitude === undefined) return;
    const distance = this.distanceTo(Number(latitude), Number(longitude));
    if (distance > farthest) document.drop();
    else document.set(dest, Math.round(distance));
  }

  /** By the haversine formula. */
  distanceTo(latitude, longitude) {
    const radians = (degrees) => (degrees * Math.PI) / 180;
    const square = (angle) => Math.sin(angle / 2) ** 2;
    const north = square(radians(latitude - this.params.latitude));
    const east = square(radians(longitude - this.params.longitude));
    const shrunk = Math.cos(radians(latitude)) * Math.cos(radians(this.params.latitude));
    return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(north + shrunk * east));
  }
}
