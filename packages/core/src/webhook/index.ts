export { type Delivery, readDelivery } from './read-delivery.js';
export { renderSignature, verifySignature } from './signature.js';
