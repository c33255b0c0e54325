CREATE TABLE customer (
    id BIGINT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL
);

CREATE TABLE purchase_order (
    id BIGINT PRIMARY KEY,
    customer_id BIGINT REFERENCES customer(id),
    placed_at TIMESTAMP NOT NULL,
    state TEXT NOT NULL -- open, paid, cancelled, shipped
);

CREATE INDEX order_by_customer ON purchase_order(customer_id);
